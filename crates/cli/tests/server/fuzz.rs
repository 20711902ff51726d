//! Sends valid and invalid requests to every operation of the API description, signed in with every role and not signed in. No
//! reply is a server error, every reply fits the description, and forbidden requests are denied.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::{Value, json};

use crate::dealing::Dealing;
use crate::house::TestCasino;
use crate::person::{Person, agent};
use crate::random::Random;
use crate::schema::Description;

/// How many requests each operation gets from each person.
const REQUESTS_PER_OPERATION: u64 = 40;

struct FuzzRequest<'a> {
    method: &'a str,
    path: String,
    body: Option<String>,
    /// Whether the description allows it.
    is_allowed: bool,
}

/// A request: path and query filled in, the body valid or wrong by one change.
fn random_request<'a>(
    path: &str,
    method: &'a str,
    operation: &Value,
    by: Option<&Person>,
    random: &mut Random,
) -> FuzzRequest<'a> {
    let description = Description::committed();
    let mut filled = path.to_owned();
    let mut query = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let value = match description.any(&parameter["schema"], random) {
            Value::String(text) => text,
            Value::Null => continue,
            other => other.to_string(),
        };
        let encoded = percent_encode(value.as_bytes(), NON_ALPHANUMERIC).to_string();
        let name = parameter["name"].as_str().unwrap();
        // Most requests name something that exists.
        let encoded = match name {
            "table" if random.below(4) > 0 => "1".to_owned(),
            _ if encoded.is_empty() => "x".to_owned(),
            _ => encoded,
        };
        match parameter["in"].as_str().unwrap() {
            "path" => filled = filled.replace(&format!("{{{name}}}"), &encoded),
            "query" if parameter["required"] == true || random.below(2) == 0 => query.push(format!("{name}={encoded}")),
            _ => {}
        }
    }
    if !query.is_empty() {
        filled = format!("{filled}?{}", query.join("&"));
    }
    let content = operation["requestBody"]["content"].as_object().and_then(|content| content.values().next());
    let (mut is_allowed, mut body) = (true, None);
    if let Some(content) = content {
        let schema = &content["schema"];
        is_allowed = random.below(3) > 0;
        let mut value = if is_allowed { description.any(schema, random) } else { description.spoilt(schema, random) };
        if let (Some(person), true) = (by, is_allowed && !value["source"].is_null()) {
            value["source"] = person.source.into();
            value["sequence"] = person.next().into();
        }
        body = Some(value.to_string());
    }
    FuzzRequest { method, path: filled, body, is_allowed }
}

fn send(house: &TestCasino, request: &FuzzRequest<'_>, by: Option<&Person>) -> (u16, String, String) {
    let url = format!("http://{}{}", house.address(), request.path);
    let cookie = by.map_or("", |person| &person.cookie);
    let answer = match (request.method, &request.body) {
        ("get", _) => agent().get(url).header("cookie", cookie).call(),
        ("post", Some(body)) => {
            agent().post(url).header("cookie", cookie).header("content-type", "application/json").send(body)
        }
        ("post", None) => agent().post(url).header("cookie", cookie).send_empty(),
        ("delete", _) => agent().delete(url).header("cookie", cookie).call(),
        (other, _) => panic!("what is {other}?"),
    };
    let mut answer = answer.unwrap();
    let kind = answer.headers().get("content-type").map_or("", |kind| kind.to_str().unwrap()).to_owned();
    (answer.status().as_u16(), kind, answer.body_mut().read_to_string().unwrap_or_default())
}

#[test]
fn random_requests_never_cause_server_errors() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    dealing.open_bets();
    let description = Description::committed();
    // Sign-in and sign-out are left out, so that the sender stays signed in.
    let stays = |path: &&String| !path.ends_with("/sign-out") && !path.ends_with("/password");
    let mut random = Random(11);
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    let roles = ["dealer", "pit-supervisor", "shift-manager", "cashier", "auditor", "administrator"];
    let people: Vec<Option<Person>> = roles.iter().map(|role| Some(house.person(role))).chain([None]).collect();
    for path in description.paths().keys().filter(stays) {
        for (method, operation) in description.paths()[path].as_object().unwrap() {
            if operation["responses"].get("101").is_some() {
                continue;
            }
            for turn in 0..REQUESTS_PER_OPERATION {
                let by = people[usize::try_from(turn).unwrap() % people.len()].as_ref();
                let request = random_request(path, method, operation, by, &mut random);
                let (status, kind, text) = send(&house, &request, by);
                let what = || format!("{method} {} {:?}: {status} {text}", request.path, request.body);
                assert!(status < 500, "{}", what());
                assert!(request.is_allowed || (400..500).contains(&status), "forbidden, and taken: {}", what());
                let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                if status >= 400 {
                    // Denials of JSON requests have the form of refusals.
                    let form = description.form("Answer");
                    description.check(form, &answer).unwrap_or_else(|fault| panic!("{fault}: {}", what()));
                } else if kind.starts_with("application/json") {
                    let schema = &operation["responses"][status.to_string()]["content"]["application/json"]["schema"];
                    assert!(!schema.is_null(), "not described: {}", what());
                    description.check(schema, &answer).unwrap_or_else(|fault| panic!("{fault}: {}", what()));
                }
                *statuses.entry(status).or_default() += 1;
            }
        }
    }
    assert!(statuses.get(&200) > Some(&100), "few requests succeeded: {statuses:?}");
    assert!(!house.log().contains("panicked"), "{}", house.log());
}

/// Random commands of terminals and consoles over their sockets: each gets a reply. Only too many refusals close the
/// connection of a terminal, with a reason.
#[test]
fn commands_over_sockets_are_answered() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    dealing.open_bets();
    let (description, mut random) = (Description::committed(), Random(12));
    let device = house.enrol(1, 1);
    let mut terminal = device.connect(house.address());
    let mut answered = 0;
    for _ in 0..500 {
        let message = description.any(description.form("TerminalCommand"), &mut random);
        let sequence = terminal.send(&message["command"]);
        if terminal.try_answer(sequence).is_some() {
            answered += 1;
            continue;
        }
        let (code, why) = terminal.over.take().unwrap_or_else(|| panic!("no word on {message}"));
        assert!(why.contains("cut off"), "{message}: {code} {why}");
        terminal = device.connect(house.address());
    }
    assert!(answered > 400, "{answered}");
    let mut console = house.person("pit-supervisor").console(1);
    console.next();
    for sequence in 1..500_u64 {
        let message = description.any(description.form("StaffCommand"), &mut random);
        console.send_json(&json!({"commands": [{"sequence": sequence, "command": message["command"]}]}));
        console.until("an answer", |message| (message["answers"][0]["sequence"] == sequence).then_some(()));
    }
    assert!(!house.log().contains("panicked"), "{}", house.log());
}
