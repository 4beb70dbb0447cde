//! Storage URL as the operator configures it: `file:<directory>` or `s3://bucket/prefix?endpoint=…&region=…`.
use std::path::PathBuf;
use url::Url;

const DEFAULT_REGION: &str = "us-east-1";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageUrl {
    Files(PathBuf),
    S3(Bucket),
}

/// A bucket of an S3-compatible service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub name: String,
    /// Prefix of every key; may be empty.
    pub prefix: String,
    /// The URL of the service; unset: AWS.
    pub endpoint: Option<Url>,
    pub region: String,
}

/// Credentials of an S3-compatible service. `Debug` leaves the secret out.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub access_key_id: String,
    pub secret_access_key: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

impl StorageUrl {
    /// `None` for another scheme, no directory, no bucket or an unknown query parameter.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(folder) = text.strip_prefix("file:") {
            let folder = folder.strip_prefix("//").filter(|rest| rest.starts_with('/')).unwrap_or(folder);
            return (!folder.is_empty()).then(|| Self::Files(PathBuf::from(folder)));
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "s3")?;
        let mut bucket = Bucket {
            name: url.host_str().filter(|name| !name.is_empty())?.to_owned(),
            prefix: url.path().trim_matches('/').to_owned(),
            endpoint: None,
            region: DEFAULT_REGION.to_owned(),
        };
        for (name, value) in url.query_pairs() {
            match &*name {
                "endpoint" => {
                    let endpoint = Url::parse(&value).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
                    bucket.endpoint = Some(endpoint);
                }
                "region" if !value.is_empty() => bucket.region = value.into_owned(),
                _ => return None,
            }
        }
        Some(Self::S3(bucket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_urls_name_a_directory_or_a_bucket() {
        assert_eq!(StorageUrl::parse("file:./data/documents"), Some(StorageUrl::Files("./data/documents".into())));
        assert_eq!(StorageUrl::parse("file:///srv/documents"), Some(StorageUrl::Files("/srv/documents".into())));
        let Some(StorageUrl::S3(bucket)) =
            StorageUrl::parse("s3://office/portal/?endpoint=http://127.0.0.1:9000&region=eu")
        else {
            panic!("a bucket")
        };
        assert_eq!((bucket.name.as_str(), bucket.prefix.as_str(), bucket.region.as_str()), ("office", "portal", "eu"));
        assert_eq!(bucket.endpoint.map(String::from).as_deref(), Some("http://127.0.0.1:9000/"));
        for nonsense in ["", "file:", "s3://", "/srv/documents", "s3://b?endpoint=ftp://x", "s3://b?enpoint=http://x"] {
            assert_eq!(StorageUrl::parse(nonsense), None, "{nonsense}");
        }
    }
}
