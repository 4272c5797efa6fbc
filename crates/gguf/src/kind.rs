//! Kinds of numbers that tensors are made of, and how much room they take.

/// How many numbers stand in one block, and how many bytes it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub numbers: u64,
    pub bytes: u64,
}

/// The block of the kind with this number in the file; nothing for one that is not known.
pub(crate) const fn block(kind: u32) -> Option<Block> {
    let (numbers, bytes) = match kind {
        0 | 26 => (1, 4),      // 32-bit floats and integers
        1 | 25 | 30 => (1, 2), // 16 bits
        24 => (1, 1),          // 8 bits
        27 | 28 => (1, 8),     // 64 bits
        2 | 20 => (32, 18),    // Q4_0, IQ4_NL
        3 => (32, 20),         // Q4_1
        6 => (32, 22),         // Q5_0
        7 => (32, 24),         // Q5_1
        8 => (32, 34),         // Q8_0
        9 => (32, 36),         // Q8_1
        10 => (256, 84),       // Q2_K
        11 | 21 => (256, 110), // Q3_K, IQ3_S
        12 => (256, 144),      // Q4_K
        13 => (256, 176),      // Q5_K
        14 => (256, 210),      // Q6_K
        15 => (256, 292),      // Q8_K
        16 | 35 => (256, 66),  // IQ2_XXS, TQ2_0
        17 => (256, 74),       // IQ2_XS
        18 => (256, 98),       // IQ3_XXS
        19 => (256, 50),       // IQ1_S
        22 => (256, 82),       // IQ2_S
        23 => (256, 136),      // IQ4_XS
        29 => (256, 56),       // IQ1_M
        34 => (256, 54),       // TQ1_0
        39 => (32, 17),        // MXFP4
        _ => return None,
    };
    Some(Block { numbers, bytes })
}
