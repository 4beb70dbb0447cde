//! Object storage: the same behavior on files, in memory and on an S3-compatible server named by `TEST_S3_URL`
//! (`s3://bucket?endpoint=http://…`, any credentials). `make test` always provides one.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use bytes::Bytes;
use domain::{
    Error,
    kernel::{
        clock::RandomSource,
        storage::{Bucket, Credentials, Storage, StorageUrl},
    },
    testing::needs,
};
use futures::{TryStreamExt, stream};
use std::{
    future::Future,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

async fn on_each_backend<F: Future<Output = ()>>(test: impl Fn(Storage) -> F) {
    let folder = tempfile::tempdir().unwrap();
    test(Storage::open(&StorageUrl::Files(folder.path().join("documents")), None).unwrap()).await;
    test(Storage::memory()).await;
    if let Some(storage) = s3() {
        test(storage).await;
    }
}

/// Its own prefix in the test bucket.
fn s3() -> Option<Storage> {
    Some(open_s3(s3_bucket()?))
}

fn s3_bucket() -> Option<Bucket> {
    let url = needs("TEST_S3_URL")?;
    let Some(StorageUrl::S3(mut bucket)) = StorageUrl::parse(&url) else { panic!("TEST_S3_URL is {url}") };
    bucket.prefix = RandomSource::system().uuid().to_string();
    Some(bucket)
}

fn open_s3(bucket: Bucket) -> Storage {
    let credentials = Credentials { access_key_id: "test".to_owned(), secret_access_key: "test".to_owned() };
    Storage::open(&StorageUrl::S3(bucket), Some(&credentials)).unwrap()
}

/// A proxy to the server of `bucket` that forwards 16 kB at a time with a pause, or stalls after `stuck_after` bytes of
/// a response.
async fn slow_proxy(mut bucket: Bucket, pause: Duration, stuck_after: usize) -> Bucket {
    let endpoint = bucket.endpoint.clone().unwrap();
    let server = (endpoint.host_str().unwrap().to_owned(), endpoint.port().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    bucket.endpoint = Some(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&server).await.unwrap();
            let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
            tokio::spawn(forward(from_client, to_server, pause, usize::MAX));
            tokio::spawn(forward(from_server, to_client, pause, stuck_after));
        }
    });
    bucket
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, pause: Duration, stuck_after: usize) {
    let (mut buffer, mut carried) = (vec![0; 16 << 10], 0);
    while let Ok(n @ 1..) = from.read(&mut buffer).await {
        carried += n;
        if carried > stuck_after {
            return std::future::pending().await;
        }
        if to.write_all(&buffer[..n]).await.is_err() {
            return;
        }
        tokio::time::sleep(pause).await;
    }
}

#[tokio::test]
async fn slow_transfers_to_s3_do_not_time_out() {
    let Some(bucket) = s3_bucket() else { return };
    let bucket = slow_proxy(bucket, Duration::from_millis(5), usize::MAX).await;
    // The timeout of a call without content; the transfers take several times as long.
    let storage = open_s3(bucket).with_timeout(Duration::from_secs(2));
    let whole = sample_bytes(6_000_000);
    let began = Instant::now();
    storage.put("uploads/slow/1", Bytes::from(whole.clone())).await.unwrap();
    let joined = storage.join(&["uploads/slow/1".to_owned()], "contents/slow").await.unwrap();
    assert_eq!(joined.bytes, whole.len() as u64);
    let pieces = stream::iter(whole.chunks(100_000).map(|piece| Ok(Bytes::copy_from_slice(piece))));
    storage.write("contents/written", pieces).await.unwrap();
    for key in ["contents/slow", "contents/written"] {
        assert_eq!(read(&storage, key, 0, whole.len() as u64).await, whole, "{key}");
    }
    assert!(began.elapsed() > Duration::from_secs(4), "the line was slow: {:?}", began.elapsed());
}

#[tokio::test]
async fn stalled_s3_requests_time_out() {
    let Some(bucket) = s3_bucket() else { return };
    open_s3(bucket.clone()).put("contents/stuck", Bytes::from(sample_bytes(9_000))).await.unwrap();
    let storage = open_s3(slow_proxy(bucket, Duration::ZERO, 0).await).with_timeout(Duration::from_millis(300));
    let began = Instant::now();
    for failed in [
        storage.read("contents/stuck", 0..9_000).await.map(drop),
        storage.put("contents/other", Bytes::from_static(b"x")).await,
        storage.size("contents/stuck").await.map(drop),
        storage.delete("contents/stuck").await,
        storage.delete_below("contents").await,
        storage.join(&["contents/stuck".to_owned()], "contents/joined").await.map(drop),
    ] {
        let Err(Error::Unavailable(why)) = failed else { panic!("{failed:?}") };
        assert!(why.contains("no answer within"), "{why}");
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

async fn read(storage: &Storage, key: &str, from: u64, to: u64) -> Vec<u8> {
    let pieces: Vec<Bytes> = storage.read(key, from..to).await.unwrap().try_collect().await.unwrap();
    pieces.concat()
}

fn sample_bytes(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 31 % 251) as u8).collect()
}

#[tokio::test]
async fn objects_are_read_whole_and_in_ranges() {
    on_each_backend(async |storage| {
        storage.probe().await.unwrap();
        storage.put("contents/a", Bytes::from_static(b"0123456789")).await.unwrap();
        assert_eq!(read(&storage, "contents/a", 0, 10).await, b"0123456789");
        assert_eq!(read(&storage, "contents/a", 3, 7).await, b"3456");
        assert_eq!(read(&storage, "contents/a", 9, 10).await, b"9");
        assert_eq!(read(&storage, "contents/a", 4, 4).await, b"");
        let missing = storage.read("contents/nothing", 0..1).await;
        assert!(matches!(missing, Err(Error::Internal(_))));
    })
    .await;
}

#[tokio::test]
async fn parts_of_any_size_are_joined() {
    on_each_backend(async |storage| {
        // Larger than the minimum part size of S3, in chunks that do not fit it.
        let whole = sample_bytes(13_000_000);
        let mut keys = Vec::new();
        for (n, piece) in whole.chunks(4_100_000).enumerate() {
            let key = format!("uploads/x/{n:03}");
            storage.put(&key, Bytes::copy_from_slice(piece)).await.unwrap();
            keys.push(key);
        }
        let content = storage.join(&keys, "contents/whole").await.unwrap();
        assert_eq!((content.bytes, content.head.as_slice()), (whole.len() as u64, &whole[..8_192]));
        assert_eq!(content.sha256, "d08d99db1aa392a1d114a85796f316e3bd937ae168a18e2a7ccbf6757f32dda7");
        assert_eq!(read(&storage, "contents/whole", 0, whole.len() as u64).await, whole);
        assert_eq!(read(&storage, "contents/whole", 5_000_000, 9_000_000).await, &whole[5_000_000..9_000_000]);
        storage.delete_below("uploads/x").await.unwrap();
        assert!(storage.join(&keys, "contents/again").await.is_err(), "the pieces are gone");
        assert!(storage.read("contents/again", 0..1).await.is_err(), "what failed left nothing");
        assert_eq!(read(&storage, "contents/whole", 0, 3).await, &whole[..3]);
    })
    .await;
}

#[tokio::test]
async fn deleting_a_missing_object_succeeds() {
    on_each_backend(async |storage| {
        storage.delete("contents/nothing").await.unwrap();
        storage.delete_below("uploads/nothing").await.unwrap();
        storage.put("uploads/y/1", Bytes::from_static(b"1")).await.unwrap();
        storage.put("uploads/yy/1", Bytes::from_static(b"2")).await.unwrap();
        storage.delete_below("uploads/y").await.unwrap();
        assert!(storage.read("uploads/y/1", 0..1).await.is_err());
        assert_eq!(read(&storage, "uploads/yy/1", 0, 1).await, b"2");
    })
    .await;
}

#[tokio::test]
async fn unreachable_storage_returns_unavailable() {
    let address = StorageUrl::parse("s3://nowhere?endpoint=http://127.0.0.1:9").unwrap();
    let credentials = Credentials { access_key_id: "id".to_owned(), secret_access_key: "s3cret".to_owned() };
    assert!(!format!("{credentials:?}").contains("s3cret"));
    let storage = Storage::open(&address, Some(&credentials)).unwrap();
    let Err(Error::Unavailable(why)) = storage.probe().await else { panic!("the storage answered") };
    assert!(why.contains("s3://nowhere"), "{why}");
}
