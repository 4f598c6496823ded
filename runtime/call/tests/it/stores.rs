//! Idempotency keys in a store that several instances of an agent share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use capgen::call::{
    BoxFuture, Handlers, IdempotencyStore, MemoryIdempotencyStore, ServerBuilder, StoreError, StoredRecord,
};
use serde_json::{Value, json};

use crate::fixture::raw::Raw;

/// Instances with one store, and the number of runs of all of them. A handler waits for the `pause` of its payload, in
/// ms.
async fn instances<const N: usize>(stores: [Arc<dyn IdempotencyStore>; N]) -> ([Raw; N], Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let mut instances = Vec::new();
    for (number, store) in stores.into_iter().enumerate() {
        let count = Arc::clone(&runs);
        let handlers = Handlers::new("echo").with_loose("say", move |_, payload: Value| {
            count.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_millis(payload["pause"].as_u64().unwrap_or(0))).await;
                Ok(json!(number))
            }
        });
        instances.push(Raw::with_handlers(handlers, |server| server.idempotency_store(store)).await);
    }
    let Ok(instances) = instances.try_into() else { panic!("one for each store") };
    (instances, runs)
}

fn shared<const N: usize>() -> [Arc<dyn IdempotencyStore>; N] {
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryIdempotencyStore::default());
    std::array::from_fn(|_| Arc::clone(&store))
}

fn request(raw: &Raw, id: &str, payload: Value) -> String {
    let mut request = raw.request(id);
    request["payload"] = payload;
    request["headers"] = json!({"idempotency-key": "key"});
    request.to_string()
}

#[tokio::test]
async fn another_instance_gives_the_first_answer_again() {
    let ([mut one, mut two], runs) = instances(shared()).await;
    one.send(request(&one, "1", json!({"a": 1}))).await;
    assert_eq!(one.patient_response().await["payload"], 0);
    two.send(request(&two, "2", json!({"a": 1}))).await;
    assert_eq!(two.patient_response().await["payload"], 0);
    two.send(request(&two, "3", json!({"a": 2}))).await;
    assert_eq!(two.patient_response().await["payload"]["code"], "EAGENTRPC_KEY_REUSED");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn another_instance_waits_for_the_one_that_runs() {
    let ([mut one, mut two], runs) = instances(shared()).await;
    // Longer than a claim that is not renewed.
    let payload = json!({"pause": 4000});
    one.send(request(&one, "1", payload.clone())).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    two.send(request(&two, "2", payload)).await;
    assert_eq!(two.patient_response().await["payload"], 0);
    assert_eq!(one.patient_response().await["payload"], 0);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_run_without_an_answer_leaves_its_key_to_others() {
    let ([mut one, mut two], runs) = instances(shared()).await;
    let mut late: Value = serde_json::from_str(&request(&one, "1", json!({"pause": 300}))).unwrap();
    late["headers"]["capgen-timeout-ms"] = json!("50");
    one.send(late.to_string()).await;
    assert_eq!(one.patient_response().await["payload"]["code"], "EAGENTRPC_TIMEOUT");
    let start = tokio::time::Instant::now();
    two.send(request(&two, "2", json!({"pause": 300}))).await;
    assert_eq!(two.patient_response().await["payload"], 1);
    // Without waiting for the end of the claim.
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// A store with faults.
#[derive(Debug)]
struct Faulty {
    inner: Arc<dyn IdempotencyStore>,
    /// Whether writes succeed but seem to fail.
    loses_confirmations: bool,
    /// Whether nothing succeeds.
    fails: bool,
    /// Whether the process is dead: nothing that it sends after its first write arrives.
    dies: bool,
    /// The largest value, in bytes.
    max_value: usize,
    /// How long the writes after the first one take.
    delay: Duration,
    has_written: AtomicBool,
}

impl Faulty {
    fn new(inner: Arc<dyn IdempotencyStore>) -> Self {
        Self {
            inner,
            loses_confirmations: false,
            fails: false,
            dies: false,
            max_value: usize::MAX,
            delay: Duration::ZERO,
            has_written: AtomicBool::new(false),
        }
    }

    async fn pass<T>(&self, result: BoxFuture<'_, Result<T, StoreError>>) -> Result<T, StoreError> {
        if self.dies && self.has_written.load(Ordering::SeqCst) {
            return std::future::pending().await;
        }
        if self.fails { Err(StoreError("no connection".to_owned())) } else { result.await }
    }
}

impl IdempotencyStore for Faulty {
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, StoreError>> {
        Box::pin(self.pass(self.inner.read(key)))
    }

    fn write<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        expected: Option<u64>,
        keep: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let is_first = !self.has_written.load(Ordering::SeqCst);
            if value.len() > self.max_value {
                return Err(StoreError("the value is too large".to_owned()));
            }
            if !is_first && !self.dies {
                // A write that is on its way arrives, even if no program waits for it any more.
                let (inner, key, delay) = (Arc::clone(&self.inner), key.to_owned(), self.delay);
                let late = tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    inner.write(&key, value, expected, keep).await
                });
                let result = self.pass(Box::pin(async { late.await.unwrap() })).await;
                let lost = StoreError("the confirmation is lost".to_owned());
                return if self.loses_confirmations { Err(lost) } else { result };
            }
            let revision = self.pass(self.inner.write(key, value, expected, keep)).await?;
            self.has_written.store(true, Ordering::SeqCst);
            Ok(revision)
        })
    }

    fn remove<'a>(&'a self, key: &'a str, expected: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.pass(self.inner.remove(key, expected)))
    }
}

#[tokio::test]
async fn the_claim_of_a_dead_instance_ends() {
    let [store] = shared();
    let dead = Faulty { dies: true, ..Faulty::new(Arc::clone(&store)) };
    let ([one, mut two], runs) = instances([Arc::new(dead), store]).await;
    one.send(request(&one, "1", json!({"pause": 0}))).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    two.send(request(&two, "2", json!({"pause": 0}))).await;
    assert_eq!(two.patient_response().await["payload"], 1);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_lost_confirmation_does_not_lose_the_answer() {
    let [store] = shared();
    let faulty = Faulty { loses_confirmations: true, ..Faulty::new(Arc::clone(&store)) };
    let ([mut one, mut two], runs) = instances([Arc::new(faulty), store]).await;
    // Long enough for a renewal.
    let payload = json!({"pause": 1200});
    one.send(request(&one, "1", payload.clone())).await;
    assert_eq!(one.patient_response().await["payload"], 0);
    two.send(request(&two, "2", payload)).await;
    assert_eq!(two.patient_response().await["payload"], 0);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_follows_a_renewal_that_is_on_its_way() {
    let [store] = shared();
    let slow = Faulty { delay: Duration::from_millis(400), ..Faulty::new(Arc::clone(&store)) };
    let ([mut one, mut two], runs) = instances([Arc::new(slow), store]).await;
    // It ends while the claim is being renewed.
    let payload = json!({"pause": 1200});
    one.send(request(&one, "1", payload.clone())).await;
    assert_eq!(one.patient_response().await["payload"], 0);
    two.send(request(&two, "2", payload)).await;
    assert_eq!(two.patient_response().await["payload"], 0);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_is_too_large_for_the_store_does_not_let_others_run() {
    let [store] = shared();
    // Enough for a claim, and for an error.
    let small = Faulty { max_value: 400, ..Faulty::new(Arc::clone(&store)) };
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let handlers = Handlers::new("echo").with_loose("say", move |_, _: Value| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(json!("x".repeat(1000))) }
    });
    let mut one = Raw::with_handlers(handlers.clone(), |server| server.idempotency_store(Arc::new(small))).await;
    let mut two = Raw::with_handlers(handlers, |server| server.idempotency_store(store)).await;
    one.send(request(&one, "1", json!({}))).await;
    assert_eq!(one.patient_response().await["payload"], "x".repeat(1000));
    two.send(request(&two, "2", json!({}))).await;
    let error = two.patient_response().await["payload"].clone();
    assert_eq!(error["code"], "EAGENTRPC_HANDLER_FAILED");
    assert_eq!(error["message"], "the request ran before, and its answer could not be kept");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_does_not_wait_for_a_slow_store() {
    let [store] = shared();
    let slow = Faulty { delay: Duration::from_secs(60), ..Faulty::new(store) };
    let ([mut one], _) = instances([Arc::new(slow)]).await;
    let mut request: Value = serde_json::from_str(&request(&one, "1", json!({}))).unwrap();
    request["headers"]["capgen-timeout-ms"] = json!("2000");
    let start = tokio::time::Instant::now();
    one.send(request.to_string()).await;
    assert_eq!(one.patient_response().await["payload"], 0);
    assert!(start.elapsed() < Duration::from_millis(1800), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_window_shorter_than_a_run_keeps_the_claim() {
    let [store] = shared();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let handlers = Handlers::new("echo").with_loose("say", move |_, _: Value| {
        count.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::time::sleep(Duration::from_millis(800)).await;
            Ok(json!(1))
        }
    });
    let window = Duration::from_millis(100);
    let build = |server: ServerBuilder| server.idempotency_window(window).idempotency_store(Arc::clone(&store));
    let mut one = Raw::with_handlers(handlers.clone(), build).await;
    let mut two = Raw::with_handlers(handlers, build).await;
    one.send(request(&one, "1", json!({}))).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    two.send(request(&two, "2", json!({}))).await;
    assert_eq!(one.patient_response().await["payload"], 1);
    assert_eq!(two.patient_response().await["payload"], 1);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_runs_without_the_store() {
    let [store] = shared();
    let ([mut one], runs) = instances([Arc::new(Faulty { fails: true, ..Faulty::new(store) })]).await;
    one.send(request(&one, "1", json!({}))).await;
    let error = one.patient_response().await["payload"].clone();
    assert_eq!((&error["code"], &error["effect"]), (&json!("EAGENTRPC_BUSY"), &json!("none")), "{error}");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    // Requests without a key do not need it.
    one.send(one.request("2").to_string()).await;
    assert_eq!(one.patient_response().await["payload"], 0);
}

#[tokio::test]
async fn a_record_that_is_not_a_record_is_a_failure_of_the_store() {
    #[derive(Debug)]
    struct Garbage;
    impl IdempotencyStore for Garbage {
        fn read<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, StoreError>> {
            Box::pin(async { Ok(Some(StoredRecord { value: "{}".into(), revision: 1 })) })
        }
        fn write<'a>(
            &'a self,
            _: &'a str,
            _: Bytes,
            _: Option<u64>,
            _: Duration,
        ) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
            Box::pin(async { Ok(None) })
        }
        fn remove<'a>(&'a self, _: &'a str, _: u64) -> BoxFuture<'a, Result<(), StoreError>> {
            Box::pin(async { Ok(()) })
        }
    }
    let ([mut one], runs) = instances([Arc::new(Garbage)]).await;
    one.send(request(&one, "1", json!({}))).await;
    assert_eq!(one.patient_response().await["payload"]["code"], "EAGENTRPC_BUSY");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}
