//! Builds the description from the handlers and compares it with `openapi.json`. No schema is wider than what is read and written.

use serde_json::{Map, Value, json};
use taisai_engine::ListName;
use taisai_table::{ClusterEvent, HouseEvent, Refusal, RoundEvent};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{OpenApi, RefOr};
use utoipa::{Modify, OpenApi as _, PartialSchema, ToSchema};

use super::messages::{
    AcceptorReceives, AcceptorSends, ConsoleReceives, ConsoleSends, DisplayReceives, HouseScreenReceives,
    HouseScreenSends, ReaderReceives, ReaderSends, TerminalReceives, TerminalSends,
};
use crate::http::denied::Denied;
use crate::ws::HouseScreen;

/// What a description begins with; addresses are added to it as they are mounted.
pub(super) fn opening() -> OpenApi {
    Opening::openapi()
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Tai Sai",
        description = "A house that runs Tai Sai and Sic Bo tables. Amounts are whole cents, times are milliseconds since \
            the beginning of 1970, UTC.\n\nPeople sign in and are known by a cookie. Devices hold a key of their own and \
            prove it on every connection. A command has the number of its source and a sequence that rises: the same \
            command sent again is answered as before, and carried out once. It is answered once the record holds it: \
            accepted, or refused with a code, the paragraphs of the game that it rests on, and a sentence for people.\n\n\
            A socket begins with a snapshot; then come numbered changes, each part anew as it stands. A gap in the \
            numbers, or a lost connection, means: connect again."
    ),
    modifiers(&Cookie),
    components(schemas(
        TerminalSends,
        TerminalReceives,
        AcceptorSends,
        AcceptorReceives,
        ReaderSends,
        ReaderReceives,
        ConsoleSends,
        ConsoleReceives,
        DisplayReceives,
        HouseScreenSends,
        HouseScreenReceives,
        RoundEvent,
        ClusterEvent,
        HouseEvent,
        HouseScreen,
        ListName
    ))
)]
struct Opening;

/// How people are known.
struct Cookie;

impl Modify for Cookie {
    fn modify(&self, description: &mut OpenApi) {
        let cookie = ApiKeyValue::with_description("__Host-taisai", "Given by signing in.");
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

/// Every code that an answer can have, for the description.
pub(crate) struct Code;

impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        let refusals = Refusal::ALL.iter().map(|refusal| refusal.code());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(refusals.chain(Denied::ALL.iter().map(|denied| denied.code()))))
            .description(Some("Why a machine refuses, in order of precedence; then why the server denies."))
            .into()
    }
}

impl ToSchema for Code {}

/// The description as it is given away. A form that lists its fields has no others, and a number has the bounds of its type.
pub(super) fn exact(description: &OpenApi) -> Value {
    let mut description = serde_json::to_value(description).expect("a description can be written down");
    let forms = description["components"]["schemas"].clone();
    narrow(&mut description, &forms);
    description
}

fn narrow(part: &mut Value, forms: &Value) {
    match part {
        Value::Object(fields) => {
            join(fields, forms);
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
            bound(fields);
            drop_repeated_description(fields);
            fields.values_mut().for_each(|field| narrow(field, forms));
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| narrow(part, forms)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A form whose fields are those of several forms is one form: its parts could not say that there are no other fields.
fn join(fields: &mut Map<String, Value>, forms: &Value) {
    let Some(Value::Array(parts)) = fields.remove("allOf") else { return };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for mut part in parts {
        if let Some(name) = part["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
            part = forms[name].clone();
        }
        if let Value::Object(part) = &mut part {
            join(part, forms);
        }
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    fields.extend([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), properties.into()),
        ("required".to_owned(), required.into()),
    ]);
}

fn bound(fields: &mut Map<String, Value>) {
    let (name, most) = match fields.get("format").and_then(Value::as_str) {
        Some("u-int8") => ("uint8", Some(u32::from(u8::MAX))),
        Some("u-int16") => ("uint16", Some(u32::from(u16::MAX))),
        Some("u-int32") => ("uint32", Some(u32::MAX)),
        Some("u-int64") => ("uint64", None),
        Some(_) | None => return,
    };
    fields.insert("format".to_owned(), json!(name));
    if let Some(most) = most {
        fields.entry("maximum").or_insert(json!(most));
    }
}

/// A choice is described beside its name, and not again inside.
fn drop_repeated_description(fields: &mut Map<String, Value>) {
    let description = fields.get("description").cloned();
    let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) else { return };
    if properties.len() == 1 {
        for inside in properties.values_mut().filter_map(Value::as_object_mut) {
            if inside.get("description") == description.as_ref() {
                inside.remove("description");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The description is committed, so that screens and their types are made from it; see `web/`.
    #[test]
    fn the_committed_description_is_that_of_the_handlers() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
        let description = exact(&crate::http::api::routes().description());
        let text = format!("{}\n", serde_json::to_string_pretty(&description).unwrap());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, text).unwrap();
        } else {
            let committed = std::fs::read_to_string(path).unwrap_or_default();
            assert!(committed == text, "crates/server/openapi.json is not what the handlers say: run `make bless`");
        }
    }

    #[test]
    fn combined_schemas_become_one() {
        let forms = json!({"Stake": {"properties": {"box": {}}, "required": ["box"]}});
        let mut form =
            json!({"allOf": [{"$ref": "#/components/schemas/Stake"}, {"properties": {"chips": {}}, "required": []}]});
        narrow(&mut form, &forms);
        let joined = json!({"type": "object", "properties": {"box": {}, "chips": {}}, "required": ["box"], "additionalProperties": false});
        assert_eq!(form, joined);
    }

    #[test]
    fn every_named_schema_is_described() {
        fn check(part: &Value, description: &Value) {
            match part {
                Value::Object(fields) => {
                    if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                        let form = description.pointer(reference.trim_start_matches('#'));
                        assert!(form.is_some(), "{reference} is not among the components");
                    }
                    fields.values().for_each(|part| check(part, description));
                }
                Value::Array(parts) => parts.iter().for_each(|part| check(part, description)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let description = exact(&crate::http::api::routes().description());
        check(&description, &description);
    }
}
