use super::*;
use std::collections::HashMap;

fn read(file: &str, environment: &[(&str, &str)], globals: Globals) -> Result<Config> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portal.toml");
    std::fs::write(&path, file).unwrap();
    let variables: HashMap<_, _> = environment.iter().copied().collect();
    let globals = Globals { config: Some(path), ..globals };
    Config::read(&Sources::from_variables(&globals, |name| variables.get(name).map(ToString::to_string))?)
}

fn refusal(file: &str, environment: &[(&str, &str)]) -> String {
    read(file, environment, Globals::default()).unwrap_err().message().unwrap()
}

#[test]
fn precedence_is_flags_environment_file_defaults() {
    let file = "listen = '127.0.0.1:1'\nworker_concurrency = 3\nlog = 'debug'";
    let environment = [("SPV_LISTEN", "127.0.0.1:2"), ("SPV_WORKER_CONCURRENCY", "4")];
    let config =
        read(file, &environment, Globals { listen: Some("127.0.0.1:3".to_owned()), ..Globals::default() }).unwrap();
    assert_eq!(
        (config.listen.to_string().as_str(), config.worker_concurrency, config.log.as_str()),
        ("127.0.0.1:3", 4, "debug")
    );
    assert_eq!(config.access_token_seconds, 900);
}

#[test]
fn invalid_value_error_names_setting_source_and_allowed_values() {
    assert_eq!(
        refusal("listen = 'here'", &[("SPV_DEMO", "perhaps")]),
        "listen: `here` from the configuration file is not allowed; it must be an address with a port, like \
         127.0.0.1:8080, a socket, like unix:/run/spv/portal.sock, or systemd\n\
         demo: `perhaps` from SPV_DEMO is not allowed; it must be true or false"
    );
}

#[test]
fn invalid_secret_is_not_printed() {
    let said = refusal("", &[("SPV_AUTH_JWT_SECRET", "too-short")]);
    assert!(!said.contains("too-short") && said.contains("SPV_AUTH_JWT_SECRET"), "{said}");
}

#[test]
fn an_unknown_key_in_the_file_is_refused() {
    assert!(refusal("lisen = '127.0.0.1:1'", &[]).starts_with("lisen: no such setting"));
}

#[test]
fn secrets_can_be_read_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("secret");
    std::fs::write(&path, "0123456789012345678901234567890123\n").unwrap();
    let path = path.to_str().unwrap();
    let config = read("", &[("SPV_AUTH_JWT_SECRET_FILE", path)], Globals::default()).unwrap();
    assert_eq!(config.jwt_secret.as_deref(), Some("0123456789012345678901234567890123"));
    let both = [("SPV_AUTH_JWT_SECRET_FILE", path), ("SPV_AUTH_JWT_SECRET", "x")];
    assert!(refusal("", &both).contains("both set"));
}

#[test]
fn the_configuration_file_names_secret_files() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    std::fs::write(&secret, "0123456789012345678901234567890123\n").unwrap();
    let text = format!("auth_jwt_secret_file = '{}'", secret.display());
    let config = read(&text, &[], Globals::default()).unwrap();
    assert_eq!(config.jwt_secret.as_deref(), Some("0123456789012345678901234567890123"));
    let other = "9876543210987654321098765432109876";
    let config = read("auth_jwt_secret_file = '/missing'", &[("SPV_AUTH_JWT_SECRET", other)], Globals::default());
    assert_eq!(config.unwrap().jwt_secret.as_deref(), Some(other));
    assert!(refusal("auth_jwt_secret_file = '/missing'", &[]).starts_with("auth_jwt_secret_file: /missing cannot be"));
    assert!(refusal(&format!("auth_jwt_secret = '{other}'\n{text}"), &[]).contains("both set"));
    assert!(refusal("listen_file = '/etc/x'", &[]).starts_with("listen_file: no such setting"));
}

#[test]
fn only_secrets_have_a_file_variable() {
    for known in ["SPV_LISTEN", "SPV_AUTH_JWT_SECRET_FILE", "SPV_AUTH_SIGNING_KEYS_FILE", "HOME", "LISTEN_FILE"] {
        assert!(!is_unknown(known), "{known}");
    }
    for unknown in ["SPV_LISTEN_FILE", "SPV_S3_ACCESS_KEY_ID_FILE", "SPV_AUTH_SIGNING_KEYS_FILE_FILE", "SPV_LISEN"] {
        assert!(is_unknown(unknown), "{unknown}");
    }
}

#[test]
fn incomplete_s3_credentials_are_warned_about() {
    let warned = |environment: &[(&str, &str)]| read("", environment, Globals::default()).unwrap().warnings;
    let (id, secret) = (("SPV_S3_ACCESS_KEY_ID", "key"), ("SPV_S3_SECRET_ACCESS_KEY", "secret-of-the-key"));
    assert_eq!(warned(&[id]), ["s3_access_key_id is set and s3_secret_access_key is not: neither of them is used"]);
    assert_eq!(warned(&[secret]), ["s3_secret_access_key is set and s3_access_key_id is not: neither of them is used"]);
    assert!(warned(&[]).is_empty() && warned(&[id, secret]).is_empty());
}

#[test]
fn config_output_hides_secrets() {
    let environment =
        [("SPV_DATABASE_URL", "postgres://spv:s3cret@db/spv"), ("SPV_DEFAULT_PASSWORD", "a-long-enough-secret-1")];
    let config = read("", &environment, Globals::default()).unwrap();
    let shown = format!("{:?}", config.records());
    assert!(
        !shown.contains("s3cret") && !shown.contains("a-long-enough") && shown.contains("spv:(hidden)@db"),
        "{shown}"
    );
}

#[test]
fn public_url_defaults_to_the_listening_port() {
    let config = read("listen = '0.0.0.0:0'", &[], Globals::default()).unwrap();
    assert_eq!(config.public_url(Some("0.0.0.0:4711".parse().unwrap())), "http://localhost:4711");
    let config = read("public_url = 'https://portal.example.com/'", &[], Globals::default()).unwrap();
    assert_eq!(config.public_url(None), "https://portal.example.com");
}

#[test]
fn secret_half_of_a_key_pair_is_not_repeated() {
    let text = "backup_copy_recipient = 'AGE-SECRET-KEY-1QQQ'";
    let refused = read(text, &[], Globals::default()).unwrap_err().message().unwrap();
    assert!(!refused.contains("1QQQ") && refused.contains("the public key of the identity"), "{refused}");
}

#[test]
fn public_url_may_have_a_path() {
    let load = |url: &str| read(&format!("public_url = '{url}'"), &[], Globals::default());
    for (url, path) in
        [("https://example.com/portal/", "/portal"), ("http://127.0.0.1:8080/office/portal", "/office/portal")]
    {
        let options = load(url).unwrap().options_without_storage().unwrap();
        assert_eq!((options.public_url.as_str(), options.base_path()), (url.trim_end_matches('/'), path));
    }
    for wrong in ["/auth", "/rest/x", "/a/../portal", "/a b", "/portal?x=1", "/portal#x", "//portal"] {
        let refused = load(&format!("https://example.com{wrong}")).unwrap_err().message().unwrap();
        assert!(refused.starts_with("public_url: "), "{wrong}: {refused}");
    }
    assert!(refusal("cors_origins = ['https://example.com/portal']", &[]).starts_with("cors_origins: "));
}

#[test]
fn storage_defaults_to_the_data_folder() {
    let config = read("data_dir = '/srv/portal'", &[], Globals::default()).unwrap();
    assert_eq!(config.storage, StorageUrl::Files("/srv/portal/documents".into()));
    let bucket = "storage_url = 's3://office/documents?endpoint=http://127.0.0.1:9000'";
    assert_eq!(
        refusal(bucket, &[("SPV_S3_ACCESS_KEY_ID", "id")]),
        "storage_url: an S3 bucket needs s3_access_key_id and s3_secret_access_key as well"
    );
    let keys = [("SPV_S3_ACCESS_KEY_ID", "id"), ("SPV_S3_SECRET_ACCESS_KEY", "s3cret")];
    let config = read(bucket, &keys, Globals::default()).unwrap();
    assert!(matches!(config.storage, StorageUrl::S3(_)) && config.s3.is_some());
    assert!(!format!("{:?} {:?}", config.records(), config).contains("s3cret"));
    assert!(refusal("storage_url = 'ftp://office'", &[]).contains("it must be file:<folder> or s3://"));
    assert!(refusal("upload_limit_mb = 0", &[]).contains("1 to 1024"));
}

#[test]
fn providers_need_client_id_and_secret() {
    let config = read("", &[], Globals::default()).unwrap();
    assert!(config.providers.is_empty());
    let google = [("SPV_OIDC_GOOGLE_CLIENT_ID", "id"), ("SPV_OIDC_GOOGLE_CLIENT_SECRET", "s3cret")];
    let config = read("oidc_google_domains = ['Example.com', 'example.org']", &google, Globals::default()).unwrap();
    assert_eq!(config.providers.len(), 1);
    assert!(config.providers[0].has_domain("example.com") && config.providers[0].has_domain("example.org"));
    assert!(!format!("{:?} {:?}", config.records(), config).contains("s3cret"));
    assert_eq!(
        refusal("", &google[..1]),
        "oidc_google_client_secret: not set, but oidc_google_client_id is; set both or neither"
    );
    assert_eq!(
        refusal("", &[("SPV_OIDC_MICROSOFT_CLIENT_SECRET", "s3cret")]),
        "oidc_microsoft_client_id: not set, but oidc_microsoft_client_secret is; set both or neither"
    );
    assert_eq!(
        refusal("", &[("SPV_OIDC_GOOGLE_DOMAINS", "example.com")]),
        "oidc_google_domains: set in SPV_OIDC_GOOGLE_DOMAINS, but oidc_google_client_id and oidc_google_client_secret are not"
    );
    for (name, value) in
        [("SPV_OIDC_GOOGLE_ISSUER", "http://accounts.google.com"), ("SPV_OIDC_GOOGLE_DOMAINS", "nowhere")]
    {
        assert!(refusal("", &[google[0], google[1], (name, value)]).contains(name), "{name}");
    }
}

#[test]
fn database_url_is_shown_without_password() {
    for (address, shown) in [
        ("postgres://spv:secret@db/spv", "postgres://spv:(hidden)@db/spv"),
        ("postgres://db/spv?user=spv&password=secret", "postgres://db/spv?user=spv&password=(hidden)"),
        ("postgres://spv:secret@db:port/spv", "(hidden)"),
        ("postgres://::1/spv?user=spv&password=secret", "(hidden)"),
        ("postgres://spv@%2Frun%2Fpostgresql/spv", "postgres://spv@%2Frun%2Fpostgresql/spv"),
        ("sqlite:/srv/spv/spv.db", "sqlite:/srv/spv/spv.db"),
    ] {
        assert_eq!(super::without_password(address), shown);
    }
}

#[test]
fn in_memory_databases_are_refused() {
    for address in ["sqlite:spv.db", "sqlite:///srv/spv.db", "postgres://db/spv", "postgresql://db/spv"] {
        assert!(super::is_database(address), "{address}");
    }
    for address in ["sqlite:", "sqlite://", "sqlite::memory:", "sqlite:spv.db?mode=memory", "mysql://db/spv", "spv.db"]
    {
        assert!(!super::is_database(address), "{address}");
    }
}

#[test]
fn wide_proxies_and_redirects_are_refused_or_warned_about() {
    for everybody in ["0.0.0.0/0", "::/0", "10.0.0.0/8, 0.0.0.0/0", "::ffff:0:0/96"] {
        let said = refusal("", &[("SPV_TRUSTED_PROXIES", everybody)]);
        assert!(said.starts_with("trusted_proxies: ") && said.contains("/0"), "{said}");
    }
    for pattern in ["https://*.com/**", "https://*.co.uk/**", "https://*.github.io/**", "https://*example.com/**"] {
        assert!(refusal("", &[("SPV_AUTH_REDIRECT_ALLOW", pattern)]).starts_with("auth_redirect_allow: "), "{pattern}");
    }
    let warned = |name, value| read("", &[(name, value)], Globals::default()).unwrap().warnings;
    let wide = warned("SPV_TRUSTED_PROXIES", "10.0.0.0/8,8.0.0.0/8,2000::/3,203.0.113.7");
    assert!(wide.len() == 2 && wide[0].contains("8.0.0.0/8") && wide[1].contains("2000::/3"), "{wide:?}");
    assert_eq!(warned("SPV_AUTH_REDIRECT_ALLOW", "https://*.corp/**").len(), 1);
    assert!(warned("SPV_AUTH_REDIRECT_ALLOW", "https://*.example.com/**").is_empty());
}

#[test]
fn drain_connection_limit_and_hsts_have_defaults() {
    let config = read("", &[], Globals::default()).unwrap();
    assert_eq!((config.drain, config.max_connections_per_address), (Duration::from_secs(5), 256));
    assert!(!config.hsts_subdomains);
    let chosen =
        [("SPV_DRAIN_SECONDS", "0"), ("SPV_MAX_CONNECTIONS_PER_ADDRESS", "0"), ("SPV_HSTS_SUBDOMAINS", "true")];
    let config = read("", &chosen, Globals::default()).unwrap();
    assert_eq!((config.drain, config.max_connections_per_address, config.hsts_subdomains), (Duration::ZERO, 0, true));
    assert!(refusal("", &[("SPV_DRAIN_SECONDS", "-1")]).starts_with("drain_seconds: "));
}

#[test]
fn a_file_named_by_the_environment_is_read_unless_a_flag_names_another() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("named.toml");
    std::fs::write(&path, "worker_concurrency = 3").unwrap();
    let variables = HashMap::from([("SPV_CONFIG", path.to_str().unwrap())]);
    let variable = |name: &str| variables.get(name).map(ToString::to_string);
    let config = Config::read(&Sources::from_variables(&Globals::default(), variable).unwrap()).unwrap();
    assert_eq!(config.worker_concurrency, 3);
    let environment = [("SPV_CONFIG", path.to_str().unwrap())];
    assert_eq!(read("worker_concurrency = 4", &environment, Globals::default()).unwrap().worker_concurrency, 4);
}
