//! What a publisher does when its store or another partition is slow.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use taisai_engine::Message;
use taisai_journal::suite::HANG_LIMIT;
use taisai_record::Address;
use taisai_rules::Money;
use taisai_table::{MachineId, TableId};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::*;

const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

fn publisher(router: &Arc<Router>) -> Publisher {
    let outside = PublisherContext {
        router: Arc::downgrade(router),
        lease: SharedLeaseDeadline::FOREVER,
        slips: SlipReader::start(Address::Folder("nowhere".into()), Vec::new()).unwrap(),
        seize: Box::new(|_| {}),
        broken: Box::new(|| {}),
    };
    Publisher::start(outside, None)
}

fn router() -> Arc<Router> {
    Arc::new(Router::new(None, BTreeSet::new()))
}

async fn permit(publisher: &Publisher) -> OwnedSemaphorePermit {
    timeout(HANG_LIMIT, publisher.permit()).await.expect("the publisher takes batches")
}

async fn hold_all(publisher: &Publisher, first: u64) {
    for number in (first..).take(MAX_UNPUBLISHED_BATCHES) {
        let permit = Some(permit(publisher).await);
        publisher.hold(BatchNumber(number), PublishedBatch { permit, ..PublishedBatch::default() });
    }
}

#[tokio::test]
async fn a_thread_waits_while_too_many_batches_are_unpublished() {
    let router = router();
    let publisher = publisher(&router);
    hold_all(&publisher, 1).await;
    {
        let mut next = pin!(publisher.permit());
        let is_pending = poll_fn(|context| Poll::Ready(next.as_mut().poll(context).is_pending())).await;
        assert!(is_pending, "nothing is durable yet");
        publisher.durable(BatchNumber(1));
        drop(timeout(HANG_LIMIT, next).await.expect("the first batch is published"));
    }
    publisher.durable(BatchNumber(8));
    hold_all(&publisher, 9).await;
    publisher.failed();
    hold_all(&publisher, 17).await;
    drop(permit(&publisher).await);
}

/// Two partitions may fill each other's queues: neither publisher may wait for the other's thread.
#[tokio::test]
async fn a_full_queue_of_another_partition_stops_no_publisher() {
    let router = router();
    let (requests, mut received) = mpsc::channel(1);
    router.set(MachineId::Round(CLUSTER.table), requests, Publisher::nowhere());
    let publisher = publisher(&router);
    let followed = |followed| Message::Followed {
        cluster: CLUSTER,
        followed,
        received: followed,
        colour_chips: Money::ZERO,
        is_registered: false,
        replaces: None,
    };
    let mut effects: Vec<_> = (1..=5).map(|number| Effect::Send(followed(number))).collect();
    effects.push(Effect::ReadBarrier(CallerId(7)));
    let (sender, receiver) = oneshot::channel();
    let caller = Caller::OnDurable(Box::new(move || sender.send(()).unwrap()));
    publisher.hold(
        BatchNumber(1),
        PublishedBatch { effects, callers: vec![(CallerId(7), caller)], ..PublishedBatch::default() },
    );
    publisher.durable(BatchNumber(1));
    timeout(HANG_LIMIT, receiver).await.expect("the publisher goes on").unwrap();
    for number in 1..=5 {
        let request = timeout(HANG_LIMIT, received.recv()).await.expect("the message arrives").unwrap();
        let Request::Input(Input::Message(Message::Followed { followed, .. })) = request else { panic!("a message") };
        assert_eq!(followed, number, "in order");
    }
}
