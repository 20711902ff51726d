//! A server that runs in a folder of its own, for tests over HTTP.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use taisai_record::{Address, Program};
use taisai_rules::Games;
use taisai_table::{
    Act, Actor, ApprovalId, CommandId, DeviceId, DeviceKind, Founder, HouseCommand, Person, PersonId, Profile,
    Registration, Role, Roles, TableId,
};
use tower::ServiceExt as _;

use crate::audit::{Audits, RecordSource};
use crate::auth::secrets::{Expected, Secrets};
use crate::auth::{People, TimeOuts};
use crate::config::Seed;
use crate::devices::Devices;
use crate::devices::displays::Displays;
use crate::http::reply::CommandReply;
use crate::metrics::Metrics;
use crate::node::{InstallationPlan, Node, TablePlan};
use crate::reports::Reports;
use crate::server::{Property, Server, SharedServer, Stopping};

pub(crate) const ADMINISTRATOR: PersonId = PersonId(1);
pub(crate) const SUPERVISOR: PersonId = PersonId(2);
pub(crate) const MANAGER: PersonId = PersonId(3);
pub(crate) const DEALER: PersonId = PersonId(4);
pub(crate) const DEVICE: DeviceId = DeviceId(9);
pub(crate) const PASSWORD: &str = "a password of one's own";

/// With people and a device.
pub(crate) struct RunningServer {
    node: Node,
    pub(crate) server: SharedServer,
    folder: tempfile::TempDir,
}

pub(crate) struct HttpReply {
    pub(crate) status: StatusCode,
    pub(crate) cookie: Option<String>,
    pub(crate) body: Value,
}

impl HttpReply {
    pub(crate) fn code(&self) -> &str {
        self.body["refused"]["code"].as_str().unwrap_or("accepted")
    }
}

impl RunningServer {
    pub(crate) async fn start() -> Self {
        Self::open(tempfile::tempdir().unwrap(), TimeOuts::default()).await
    }

    /// With a real table that plays the game of this file, approved or not.
    pub(crate) async fn playing(game: String) -> Self {
        Self::open_with(tempfile::tempdir().unwrap(), TimeOuts::default(), game, true).await
    }

    pub(crate) async fn open(folder: tempfile::TempDir, time_outs: TimeOuts) -> Self {
        let game = Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned();
        Self::open_with(folder, time_outs, game, false).await
    }

    async fn open_with(folder: tempfile::TempDir, time_outs: TimeOuts, game: String, allows_unapproved: bool) -> Self {
        let address = Address::Folder(folder.path().join("data"));
        let seats = vec![8];
        let table = TablePlan {
            table: TableId(1),
            game,
            layout: "B".to_owned(),
            registration: Registration::EveryBet,
            is_training: false,
            seats,
        };
        let plan = InstallationPlan {
            files: address.files().unwrap(),
            accepts_clock: false,
            acknowledged: taisai_journal::AcknowledgedHeads::default(),
            address: address.clone(),
            program: Program { version: "0.1.0".to_owned(), hash: [1; 32] },
            new_house: [7; 16],
            allows_unapproved,
            profile: Profile::singapore(),
            is_training: false,
            tables: vec![table],
        };
        let node = Node::open(plan, &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
        let own = taisai_journal::Keys::open(&address.files().unwrap().key_file).unwrap();
        let secrets = Secrets::open(&address, &own, Expected::Either, false).unwrap();
        secrets.take_into_use().await.unwrap();
        let place = Property {
            name: "Test".to_owned(),
            house: [7; 16],
            is_training: false,
            is_game_approved: node.is_game_approved(),
            version: "0.1.0".to_owned(),
        };
        let keys = node.keys().to_vec();
        let games = crate::reports::games_of([], Vec::new());
        let program = Program { version: "0.1.0".to_owned(), hash: [1; 32] };
        let recorded = RecordSource { address: address.clone(), keys: keys.clone(), anchor: None, program };
        let server = Arc::new(Server {
            reports: Reports::start(address.clone(), keys, games).unwrap(),
            audits: Audits::new(recorded),
            place,
            profile: Arc::new(Profile::singapore()),
            node: node.handle(),
            peers: None,
            lease: node.lease(),
            clock: node.clock(),
            sources: node.sources().clone(),
            people: People::open(&secrets, time_outs).await.unwrap(),
            devices: Devices::open(&secrets).await.unwrap(),
            vouchers: crate::vouchers::Printer::new(&own, &Profile::singapore()),
            secrets,
            metrics: Arc::new(Metrics::new()),
            metrics_from: vec!["192.0.2.7".parse().unwrap()],
            seed: Seed::default(),
            is_secured: false,
            displays: Displays::default(),
            stopping: tokio::sync::watch::Sender::new(Stopping::No),
            // No test here is about a lost screen, and a busy machine may answer slowly.
            sign_of_life: std::time::Duration::from_mins(10),
        });
        let running = Self { node, server, folder };
        if running.server.node.house().read(|house| house.people().count()).await.unwrap() == 0 {
            running.found().await;
        }
        running
    }

    pub(crate) async fn found(&self) {
        let founder = |person, role| Founder { person, name: format!("{role:?}"), roles: Roles::of(&[role]) };
        let people = vec![
            founder(ADMINISTRATOR, Role::Administrator),
            founder(SUPERVISOR, Role::PitSupervisor),
            founder(MANAGER, Role::PitManager),
            founder(DEALER, Role::Dealer),
        ];
        let enrol = HouseCommand::Enrol { device: DEVICE, kind: DeviceKind::Screen, second: None };
        for command in [enrol, HouseCommand::Found { people }] {
            assert!(matches!(self.server.node.house().own(command).await, Ok(CommandReply::Accepted(_))));
        }
    }

    pub(crate) fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) async fn close(self) -> tempfile::TempDir {
        let Self { node, server, folder } = self;
        drop(server);
        tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
        folder
    }

    fn router(&self) -> Router {
        crate::http::api::routes().into_router().with_state(Arc::clone(&self.server))
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        cookie: Option<&str>,
        from: u8,
        body: Option<Value>,
    ) -> HttpReply {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let address = std::net::SocketAddr::from(([192, 0, 2, from], 4_000));
        let request = request.extension(ConnectInfo(address)).body(body).unwrap();
        let response = self.router().oneshot(request).await.unwrap();
        let status = response.status();
        let cookie = response.headers().get(header::SET_COOKIE).map(|cookie| cookie.to_str().unwrap().to_owned());
        let body = axum::body::to_bytes(response.into_body(), 100_000).await.unwrap();
        HttpReply { status, cookie, body: serde_json::from_slice(&body).unwrap_or(Value::Null) }
    }

    pub(crate) async fn post(&self, path: &str, cookie: &str, body: Value) -> HttpReply {
        self.send("POST", path, Some(cookie), 1, Some(body)).await
    }

    pub(crate) async fn get(&self, path: &str, cookie: &str) -> HttpReply {
        self.send("GET", path, Some(cookie), 1, None).await
    }

    pub(crate) async fn try_in(&self, person: PersonId, password: &str) -> HttpReply {
        self.send("POST", "/sign-in", None, 1, Some(json!({"person": person, "password": password}))).await
    }

    pub(crate) async fn with_password(&self, person: PersonId) {
        let hashed = self.server.people.hashing.hash(PASSWORD.to_owned()).await.unwrap();
        self.server.secrets.set_password(person, hashed, self.server.clock.now(), 0).await.unwrap();
    }

    /// Signs a person in with a password of their own; returns the cookie.
    pub(crate) async fn sign_in(&self, person: PersonId) -> String {
        self.with_password(person).await;
        let response = self.try_in(person, PASSWORD).await;
        assert_eq!((response.status, &response.body["password_to_be_set"]), (StatusCode::OK, &json!(false)));
        pair(&response)
    }

    pub(crate) async fn ask(&self, person: Person, command: HouseCommand) -> CommandReply {
        let id = CommandId { source: self.server.sources.next(), sequence: 1 };
        self.server.node.house().ask(Actor::Person(person), id, command).await.unwrap()
    }
}

pub(crate) fn pair(response: &HttpReply) -> String {
    response.cookie.as_ref().unwrap().split(';').next().unwrap().to_owned()
}

pub(crate) fn person(id: PersonId, role: Role) -> Person {
    Person { id, roles: Roles::of(&[role]) }
}

pub(crate) async fn answered_by_manager(
    house: &RunningServer,
    by: Person,
    act: Act,
    what: &str,
    approve: bool,
) -> ApprovalId {
    let answer = house.ask(by, HouseCommand::RequestApproval { act, what: what.to_owned() }).await;
    let CommandReply::Accepted(Some(event)) = answer else { panic!("{answer:?}") };
    let approval = serde_json::from_value(event["approval-requested"]["approval"].clone()).unwrap();
    let command = HouseCommand::AnswerApproval { approval, approve };
    assert!(matches!(house.ask(person(MANAGER, Role::PitManager), command).await, CommandReply::Accepted(_)));
    approval
}
