//! What holds a passkey: its kind, and the name of its maker by the authenticator's model (AAGUID).
use serde_cbor_2::Value;
use std::ops::Range;
use uuid::Uuid;
use webauthn_rs::prelude::{Credential, RegisterPublicKeyCredential};

crate::kernel::text_enum! {
    /// What holds a passkey.
    #[schema(as = PasskeyDeviceKind)]
    pub enum DeviceKind {
        /// A password manager, on all devices of its user.
        Synced = "synced",
        /// One computer or phone.
        Device = "device",
        /// By USB, NFC or Bluetooth.
        SecurityKey = "security_key",
        Unknown = "unknown",
    }
}

/// Position of the model in the authenticator data (WebAuthn, section 6.1).
const AAGUID_BYTES: Range<usize> = 37..53;

/// Names of common authenticators by their model, from the community's list of passkey providers.
const NAMES: [(Uuid, &str); 20] = [
    (uuid::uuid!("ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"), "Google Password Manager"),
    (uuid::uuid!("adce0002-35bc-c60a-648b-0b25f1f05503"), "Chrome on Mac"),
    (uuid::uuid!("fbfc3007-154e-4ecc-8c0b-6e020557d7bd"), "Apple Passwords"),
    (uuid::uuid!("dd4ec289-e01d-41c9-bb89-70fa845d4bf2"), "iCloud Keychain"),
    (uuid::uuid!("08987058-cadc-4b81-b6e1-30de50dcbe96"), "Windows Hello"),
    (uuid::uuid!("9ddd1817-af5a-4672-a2b9-3e3dd95000a9"), "Windows Hello"),
    (uuid::uuid!("6028b017-b1d4-4c02-b4b3-afcdafc96bb2"), "Windows Hello"),
    (uuid::uuid!("d3452668-01fd-4c12-926c-83a4204853aa"), "Microsoft Password Manager"),
    (uuid::uuid!("53414d53-554e-4700-0000-000000000000"), "Samsung Pass"),
    (uuid::uuid!("771b48fd-d3d4-4f74-9232-fc157ab0507a"), "Edge on Mac"),
    (uuid::uuid!("531126d6-e717-415c-9320-3d9aa6981239"), "Dashlane"),
    (uuid::uuid!("bada5566-a7aa-401f-bd96-45619a55120d"), "1Password"),
    (uuid::uuid!("d548826e-79b4-db40-a3d8-11116f7e8349"), "Bitwarden"),
    (uuid::uuid!("b84e4048-15dc-4dd0-8640-f4f60813c8af"), "NordPass"),
    (uuid::uuid!("0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6"), "Keeper"),
    (uuid::uuid!("f3809540-7f14-49c1-a8b3-8f813b225541"), "Enpass"),
    (uuid::uuid!("50726f74-6f6e-5061-7373-50726f746f6e"), "Proton Pass"),
    (uuid::uuid!("fdb141b2-5d84-443e-8a35-4698c205a502"), "KeePassXC"),
    (uuid::uuid!("b78a0a55-6ef8-d246-a042-ba0f6d55050c"), "LastPass"),
    (uuid::uuid!("b35a26b2-8f6e-4697-ab1d-d44db4da28c6"), "Zoho Vault"),
];

/// The name of a known model.
pub(super) fn name(aaguid: Option<Uuid>) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| Some(*known) == aaguid).map(|(_, name)| *name)
}

/// The model that a verified registration names, unless it is all zero.
pub(super) fn aaguid(registered: &RegisterPublicKeyCredential) -> Option<Uuid> {
    let Ok(Value::Map(object)) = serde_cbor_2::from_slice(&registered.response.attestation_object) else { return None };
    let Some(Value::Bytes(data)) = object.get(&Value::Text("authData".to_owned())) else { return None };
    Uuid::from_slice(data.get(AAGUID_BYTES)?).ok().filter(|model| !model.is_nil())
}

/// `attachment` is what the browser says (`authenticatorAttachment`).
pub(super) fn kind(credential: &Credential, attachment: Option<&str>) -> DeviceKind {
    // As serialised: the type of transports is not public.
    let transports = serde_json::to_value(&credential.transports).unwrap_or_default();
    let has = |name: &str| transports.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    match attachment {
        _ if credential.backup_eligible => DeviceKind::Synced,
        _ if has("internal") => DeviceKind::Device,
        _ if has("usb") || has("nfc") || has("ble") => DeviceKind::SecurityKey,
        _ if has("hybrid") => DeviceKind::Device,
        Some("platform") => DeviceKind::Device,
        Some("cross-platform") => DeviceKind::SecurityKey,
        _ => DeviceKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_models_are_named() {
        assert_eq!(name(Some(uuid::uuid!("d548826e-79b4-db40-a3d8-11116f7e8349"))), Some("Bitwarden"));
        assert_eq!(name(Some(uuid::uuid!("d548826e-79b4-db40-a3d8-11116f7e8340"))), None);
        assert_eq!(name(None), None);
    }
}
