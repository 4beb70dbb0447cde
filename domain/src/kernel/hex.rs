//! Bytes as text, the way hashes are kept and shown.

/// Two digits a byte, in lower case.
pub fn of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(of(&[0x00, 0x0a, 0xff]), "000aff");
    }
}
