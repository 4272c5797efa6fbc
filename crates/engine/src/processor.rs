//! Whether the processor can compute at all. The C++ library is built for a family of processors and breaks down on older
//! ones, so it is not touched there.

/// What the library's build takes for granted and this processor lacks.
pub(crate) fn lacks() -> Option<&'static str> {
    first_missing(&needed())
}

/// What ggml turns on where it is built for other processors than its own.
#[cfg(target_arch = "x86_64")]
fn needed() -> [(&'static str, bool); 6] {
    [
        ("SSE4.2", is_x86_feature_detected!("sse4.2")),
        ("AVX", is_x86_feature_detected!("avx")),
        ("F16C", is_x86_feature_detected!("f16c")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
    ]
}

/// Other builds keep to what every processor of their kind has.
#[cfg(not(target_arch = "x86_64"))]
fn needed() -> [(&'static str, bool); 0] {
    []
}

fn first_missing(needed: &[(&'static str, bool)]) -> Option<&'static str> {
    needed.iter().find(|(_, there)| !there).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_first_is_named() {
        assert_eq!(first_missing(&[("AVX", true), ("AVX2", false), ("BMI2", false)]), Some("AVX2"));
        assert_eq!(first_missing(&[("AVX", true)]), None);
    }

    #[test]
    fn a_processor_that_runs_the_library_lacks_nothing() {
        assert_eq!(lacks(), None);
    }
}
