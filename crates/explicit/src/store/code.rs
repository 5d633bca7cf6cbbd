//! The code of a state: its length, then for every eight bytes a bitmap of those that differ from a reference, followed
//! by the differences. Prefix-free, so comparing codes compares states.

/// The state that codes are differences from, also as words of eight bytes.
pub(super) struct Reference {
    pub bytes: Vec<u8>,
    words: Vec<u64>,
}

impl Reference {
    pub(super) fn new(bytes: &[u8]) -> Self {
        Reference { bytes: bytes.to_vec(), words: bytes.chunks(8).map(word).collect() }
    }
}

/// Up to eight bytes as a word, the first one lowest.
fn word(bytes: &[u8]) -> u64 {
    match bytes.try_into() {
        Ok(bytes) => u64::from_le_bytes(bytes),
        Err(_) => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A bit for each byte of a word that is not zero.
fn bitmap(word: u64) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high_bits = (((word & LOW) + LOW) | word) & !LOW;
    ((high_bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Appends the code of a state to `out`.
pub(super) fn encode(state: &[u8], reference: &Reference, out: &mut Vec<u8>) {
    let from = out.len();
    // As long as a code can get, so that it is written without asking for room.
    out.resize(from + 4 + state.len() + state.len().div_ceil(8), 0);
    let code = &mut out[from..];
    let mut at = if state.len() < 0x80 {
        code[0] = state.len() as u8;
        1
    } else {
        code[..4].copy_from_slice(&(state.len() as u32 | 0x8000_0000).to_be_bytes());
        4
    };
    for (index, group) in state.chunks(8).enumerate() {
        let mut usual = reference.words.get(index).copied().unwrap_or(0);
        if group.len() < 8 {
            usual &= (1 << (8 * group.len())) - 1;
        }
        let difference = word(group) ^ usual;
        let mut bits = bitmap(difference);
        code[at] = bits;
        at += 1;
        while bits != 0 {
            code[at] = (difference >> (8 * bits.trailing_zeros())) as u8;
            at += 1;
            bits &= bits - 1;
        }
    }
    out.truncate(from + at);
}

/// The length of the state a code stands for, and where its groups start.
fn header(code: &[u8]) -> (usize, usize) {
    if code[0] < 0x80 {
        (usize::from(code[0]), 1)
    } else {
        ((u32::from_be_bytes([code[0], code[1], code[2], code[3]]) & 0x7fff_ffff) as usize, 4)
    }
}

/// How many bits of a byte are set: many processors that programs are compiled for have no instruction for it.
const ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut byte = 1;
    while byte < 256 {
        ones[byte] = ones[byte / 2] + (byte % 2) as u8;
        byte += 1;
    }
    ones
};

pub(super) fn code_length(code: &[u8]) -> usize {
    let (len, mut at) = header(code);
    for _ in 0..len.div_ceil(8) {
        at += 1 + usize::from(ONES[usize::from(code[at])]);
    }
    at
}

pub(super) fn decode(code: &[u8], reference: &[u8], out: &mut Vec<u8>) {
    let (len, mut at) = header(code);
    let start = out.len();
    out.extend_from_slice(&reference[..len.min(reference.len())]);
    out.resize(start + len, 0);
    for group in 0..len.div_ceil(8) {
        let mut bitmap = code[at];
        at += 1;
        while bitmap != 0 {
            out[start + group * 8 + bitmap.trailing_zeros() as usize] ^= code[at];
            at += 1;
            bitmap &= bitmap - 1;
        }
    }
}
