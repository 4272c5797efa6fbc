//! Which place of a text a place of another one comes from.

/// Points of a text made from another one, in rising order: (place here, place there). Between two points both run
/// alike, but never past the next point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track(Vec<(usize, usize)>);

impl Track {
    /// From here on, `here` comes from `there`.
    pub(crate) fn push(&mut self, here: usize, there: usize) {
        match self.0.last_mut() {
            Some(last) if last.0 == here => last.1 = last.1.max(there),
            _ => self.0.push((here, there)),
        }
    }

    /// Where `here` comes from.
    pub(crate) fn origin(&self, here: usize) -> usize {
        let next = self.0.partition_point(|point| point.0 <= here);
        let last = next.checked_sub(1).and_then(|index| self.0.get(index)).copied().unwrap_or_default();
        let there = last.1 + (here - last.0);
        self.0.get(next).map_or(there, |next| there.min(next.1.max(last.1)))
    }

    /// Takes the points of another one over, moved.
    pub(crate) fn append(&mut self, here: usize, other: &Self, there: usize) {
        self.push(here, there + other.origin(0));
        for point in &other.0 {
            self.push(here + point.0, there + point.1);
        }
    }

    /// From here to where the other text comes from.
    pub(crate) fn then(self, other: &Self) -> Self {
        if self.0.is_empty() {
            return other.clone();
        }
        let mut points = Self::default();
        // Where both have points, both are kept.
        let mut others = other.0.iter().copied().peekable();
        for (index, (here, there)) in self.0.iter().copied().enumerate() {
            let end = self.0.get(index + 1).map_or(usize::MAX, |next| next.0);
            if index == 0 && here > 0 {
                points.push(0, other.origin(0));
            }
            points.push(here, other.origin(there));
            while others.next_if(|point| point.0 <= there).is_some() {}
            while let Some((middle, far)) = others.peek().copied() {
                let Some(at) = (here + (middle - there) < end).then(|| here + (middle - there)) else { break };
                points.push(at, far);
                others.next();
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_followed_through_two_texts() {
        // "aXXb" was "ab", which was "a---b".
        let mut masks = Track::default();
        masks.push(1, 1);
        masks.push(3, 1);
        let mut lines = Track::default();
        lines.push(1, 4);
        assert_eq!([0, 1, 3, 4].map(|at| masks.origin(at)), [0, 1, 1, 2]);
        let both = masks.then(&lines);
        assert_eq!([0, 1, 3, 4].map(|at| both.origin(at)), [0, 4, 4, 5]);
        assert_eq!(Track::default().then(&lines).origin(2), 5);
        assert_eq!(Track::default().origin(7), 7);
    }
}
