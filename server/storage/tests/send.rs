//! A server spawns what the store does, so its futures must be `Send`; a compile-time test.

use storage::{Place, Store};

fn is_send<T: Send>(_: T) {}

#[allow(dead_code, reason = "compiled, never run")]
async fn the_store_can_be_spawned(store: Store, options: storage::Options) {
    is_send(store.write(Vec::new()));
    is_send(Store::open(Place { root: "x".into() }, options));
    is_send(store.rebuild());
    is_send(store.reconcile());
    is_send(store.watch());
    is_send(store.reader().begin());
}

#[test]
fn the_store_can_be_spawned_from_any_thread() {
    fn is_sync<T: Send + Sync>() {}
    is_sync::<Store>();
}
