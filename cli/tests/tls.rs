//! TLS to mail servers, OpenID providers, S3 and PostgreSQL with an internal CA, trusted through `SSL_CERT_FILE`: `doctor`'s
//! results, and that passwords are never sent unencrypted.
use crate::support::{Running, TestPortal, free_port, python, test_portals};
use domain::{kernel::page::PageQuery, outbox::mails, platform::activity, testing::needs};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

/// A certificate authority, and a server certificate for this machine.
struct Authority {
    dir: tempfile::TempDir,
}

impl Authority {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (ca_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut params = CertificateParams::new(vec![]).unwrap();
        // Unique names, so that a certificate of another CA has an unknown issuer.
        params.distinguished_name.push(DnType::CommonName, dir.path().display().to_string());
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = params.self_signed(&ca_key).unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let cert = CertificateParams::new(names).unwrap().signed_by(&key, &Issuer::new(params, ca_key)).unwrap();
        for (name, pem) in [("ca.pem", ca.pem()), ("cert.pem", cert.pem()), ("key.pem", key.serialize_pem())] {
            std::fs::write(dir.path().join(name), pem).unwrap();
        }
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Starts a server with this certificate; returns its port.
    fn serve(&self, what: &str, args: &[&str]) -> (Running, u16) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/tls.py");
        let mut child = Command::new(python())
            .args([script, what])
            .args([self.path("cert.pem"), self.path("key.pem")])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("ready ").unwrap().parse().unwrap();
        (Running(child), port)
    }
}

/// State and detail of one check of `doctor`, optionally with a trusted CA.
fn check(portal: &TestPortal, name: &str, trusted: Option<&Authority>, settings: &[(&str, &str)]) -> (String, String) {
    let mut command = portal.command(&["doctor", "--format", "json"]);
    // Without the machine's own certificates.
    let own = Authority::new();
    command.env("SSL_CERT_FILE", trusted.unwrap_or(&own).path("ca.pem")).envs(settings.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let checks: Value = serde_json::from_str(&said)
        .unwrap_or_else(|e| panic!("{e}: {said} {}", String::from_utf8_lossy(&output.stderr)));
    let found = checks["items"].as_array().unwrap().iter().find(|check| check["check"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {checks}"));
    (found["state"].as_str().unwrap().to_owned(), found["detail"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn smtp_passwords_need_verified_tls_unless_disabled() {
    let portal = TestPortal::sqlite().await;
    let authority = Authority::new();
    let trusted = Some(&authority);
    for (mode, url, trusted, state, words, seen) in [
        ("starttls", "smtp://user:secret@localhost", trusted, "ok", "(STARTTLS, TLS 1.3)", "password tls\n"),
        ("required", "smtp://user:secret@localhost", trusted, "ok", "(STARTTLS, TLS 1.3)", "password tls\n"),
        ("starttls", "smtp://user:secret@localhost", None, "failed", "UnknownIssuer", ""),
        ("plain", "smtp://user:secret@localhost", trusted, "failed", "does not offer STARTTLS", ""),
        ("plain", "smtp://user:secret@localhost?tls=none", trusted, "note", "unencrypted", "password plain\n"),
        ("starttls", "smtp://user:secret@localhost?tls=none", trusted, "note", "?tls=none", "password plain\n"),
        ("smtps", "smtps://user:secret@localhost", trusted, "ok", "(TLS 1.3)", "password tls\n"),
        ("smtps", "smtps://user:secret@localhost", None, "failed", "UnknownIssuer", ""),
        ("starttls", "smtp://localhost", None, "ok", "(STARTTLS, TLS 1.3, certificate not verified)", ""),
        ("plain", "smtp://localhost", None, "note", "unencrypted, as it does not offer STARTTLS", ""),
    ] {
        let log = authority.path("log");
        std::fs::write(&log, "").unwrap();
        let (_server, port) = authority.serve("smtp", &[mode, log.to_str().unwrap()]);
        let url = url.replace("localhost", &format!("localhost:{port}"));
        let (is, said) = check(&portal, "mail", trusted, &[("SPV_SMTP_URL", &url)]);
        assert_eq!((is.as_str(), said.contains(words)), (state, true), "{mode} {url}: {said}");
        assert_eq!(std::fs::read_to_string(&log).unwrap(), seen, "{mode} {url}");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[tokio::test]
async fn contradictory_tls_settings_are_refused() {
    let portal = TestPortal::sqlite().await;
    for (url, words) in [
        ("smtp://user:secret@localhost?tls=opportunistic", "tls=opportunistic"),
        ("smtps://localhost?tls=none", "tls=none"),
        ("smtp://user@localhost", "names a user and no password"),
    ] {
        let mut command = portal.command(&["worker"]);
        let output = command.env("SPV_SMTP_URL", url).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.contains(words)), (Some(2), true), "{said}");
        assert!(said.contains("smtp_url") && !said.contains("secret"), "{said}");
    }
}

#[tokio::test]
async fn test_mail_records_the_encryption() {
    for mut portal in test_portals().await {
        let authority = Authority::new();
        let log = authority.path("log");
        let (_server, port) = authority.serve("smtp", &["required", log.to_str().unwrap()]);
        portal.set("SPV_SMTP_URL", format!("smtp://user:secret@localhost:{port}"));
        portal.set("SSL_CERT_FILE", authority.path("ca.pem").display());
        let sam = portal.world.super_admin("Sam").await;
        let mail = mails::test(&sam).await.unwrap();
        let _worker = portal.start(&["worker"]);
        portal.mails(Duration::from_secs(60), |mails| mails.iter().any(|mail| mail["status"] == "sent"));
        let log_of_mail = activity::list(&sam, &activity::Filter::default(), &PageQuery::default()).await.unwrap();
        let sent = log_of_mail.items.iter().find(|event| event.subject_id == Some(mail.0)).unwrap();
        assert_eq!(sent.action, "mail.sent");
        assert_eq!((&sent.data["encryption"], &sent.data["tls_version"]), (&"starttls".into(), &"TLS 1.3".into()));
        assert!(std::fs::read_to_string(&log).unwrap().contains("mail tls\n"));
    }
}

#[tokio::test]
async fn openid_issuer_with_internal_ca_needs_ssl_cert_file() {
    let portal = TestPortal::sqlite().await;
    let authority = Authority::new();
    let (_server, port) = authority.serve("openid", &[]);
    let issuer = format!("https://localhost:{port}");
    let nowhere = format!("https://localhost:{}", free_port());
    for (issuer, trusted, state, words) in [
        (&issuer, Some(&authority), "ok", "google answers"),
        (&issuer, None, "failed", "UnknownIssuer"),
        (&nowhere, Some(&authority), "failed", "Connection refused"),
    ] {
        let settings = [
            ("SPV_OIDC_GOOGLE_CLIENT_ID", "portal"),
            ("SPV_OIDC_GOOGLE_CLIENT_SECRET", "hidden"),
            ("SPV_OIDC_GOOGLE_ISSUER", issuer.as_str()),
        ];
        let (is, said) = check(&portal, "provider", trusted, &settings);
        assert_eq!((is.as_str(), said.contains(words)), (state, true), "{said}");
    }
}

#[tokio::test]
async fn s3_bucket_with_internal_ca_needs_ssl_cert_file() {
    let Some(url) = needs("TEST_S3_URL") else { return };
    let portal = TestPortal::sqlite().await;
    let authority = Authority::new();
    let (bucket, endpoint) = url.split_once("?endpoint=http://").expect("an address with an endpoint");
    let (host, port) = endpoint.split('&').next().unwrap().split_once(':').unwrap();
    let (_server, port) = authority.serve("proxy", &["https", host, port]);
    let url = format!("{bucket}?endpoint=https://localhost:{port}");
    let settings =
        [("SPV_STORAGE_URL", url.as_str()), ("SPV_S3_ACCESS_KEY_ID", "test"), ("SPV_S3_SECRET_ACCESS_KEY", "test")];
    for (trusted, state, words) in [(Some(&authority), "ok", "s3://"), (None, "failed", "UnknownIssuer")] {
        let (is, said) = check(&portal, "storage", trusted, &settings);
        assert_eq!((is.as_str(), said.contains(words)), (state, true), "{said}");
    }
}

#[tokio::test]
async fn postgresql_with_internal_ca_needs_ssl_cert_file() {
    let Some(portal) = TestPortal::postgres().await else { return };
    let authority = Authority::new();
    let server: url::Url = portal.world.url.parse().unwrap();
    let (host, port) = (server.host_str().unwrap(), server.port().unwrap_or(5432).to_string());
    let (_server, port) = authority.serve("proxy", &["postgres", host, &port]);
    let mut url = server.clone();
    url.set_host(Some("localhost")).unwrap();
    url.set_port(Some(port)).unwrap();
    url.set_query(Some("sslmode=verify-full"));
    let url = url.as_str();
    for (trusted, state, words) in [(Some(&authority), "note", "PostgreSQL"), (None, "failed", "UnknownIssuer")] {
        let (is, said) = check(&portal, "database", trusted, &[("SPV_DATABASE_URL", url)]);
        assert_eq!((is.as_str(), said.contains(words)), (state, true), "{said}");
    }
}

#[tokio::test]
async fn database_authentication_failure_is_reported() {
    let Some(portal) = TestPortal::postgres().await else { return };
    let server: url::Url = portal.world.url.parse().unwrap();
    let mut missing = server.clone();
    missing.set_path("/no_such_database");
    let mut stranger = server.clone();
    stranger.set_username("stranger").unwrap();
    let closed = free_port();
    let refused = format!("postgres://spv:secret@127.0.0.1:{closed}/spv");
    for (url, words) in [
        (missing.as_str(), vec!["no_such_database\" does not exist".to_owned()]),
        (stranger.as_str(), vec!["role \"stranger\" does not exist".to_owned()]),
        (&refused, vec![format!("127.0.0.1:{closed}"), "Connection refused".to_owned()]),
    ] {
        let (state, said) = check(&portal, "database", None, &[("SPV_DATABASE_URL", url)]);
        assert_eq!(state, "failed");
        assert!(words.iter().all(|word| said.contains(word)) && !said.contains("pool timed out"), "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[tokio::test]
async fn doctor_compares_pool_sizes_with_the_connection_limit() {
    let portal = TestPortal::sqlite().await;
    let done = portal.run(&["doctor", "--format", "json"]);
    assert!(!done.out.contains("connections"), "SQLite has no such limit");
    let Some(portal) = TestPortal::postgres().await else { return };
    let limit = portal.world.db.connection_limit().await.unwrap().unwrap();
    let pool = |main: i64| (limit.allowed - main).to_string();
    for (main, state, words) in [
        ("20".to_owned(), "ok", "Up to 30 of "),
        (pool(10), "note", "a second process does not fit"),
        (pool(9), "failed", "Lower SPV_DATABASE_POOL"),
    ] {
        let (is, said) = check(&portal, "connections", None, &[("SPV_DATABASE_POOL", &main)]);
        assert_eq!((is.as_str(), said.contains(words)), (state, true), "{main}: {said}");
    }
}
