//! The committed API description: checks whether a value fits a schema, generates values that fit, and values that are wrong by
//! one change. It knows the JSON Schema keywords that the description uses, and panics at others.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::random::Random;

pub(crate) struct Description(Value);

/// The keywords that restrict values; others are for people.
const KNOWN: [&str; 14] = [
    "$ref",
    "additionalProperties",
    "anyOf",
    "enum",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "properties",
    "propertyNames",
    "required",
    "type",
];
const FOR_PEOPLE: [&str; 8] =
    ["description", "example", "examples", "format", "title", "default", "deprecated", "contentMediaType"];
const OF_TEXT: [&str; 3] = ["maxLength", "minLength", "pattern"];

impl Description {
    /// Reads the committed file.
    pub(crate) fn committed() -> &'static Self {
        static COMMITTED: OnceLock<Description> = OnceLock::new();
        COMMITTED.get_or_init(|| Self(serde_json::from_str(include_str!("../../../server/openapi.json")).unwrap()))
    }

    /// The paths with their operations.
    pub(crate) fn paths(&self) -> &Map<String, Value> {
        self.0["paths"].as_object().unwrap()
    }

    /// A schema of the components.
    pub(crate) fn form(&self, name: &str) -> &Value {
        let form = &self.0["components"]["schemas"][name];
        assert!(!form.is_null(), "there is no form {name}");
        form
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(reference) => self.form(reference.rsplit('/').next().unwrap()),
            None => schema,
        }
    }

    /// Checks a value; the error names the first place that does not fit.
    pub(crate) fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let schema = self.resolve(schema);
        for word in schema.as_object().into_iter().flat_map(Map::keys).map(String::as_str) {
            assert!(KNOWN.contains(&word) || FOR_PEOPLE.contains(&word) || OF_TEXT.contains(&word), "what is {word}?");
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let faults: Vec<_> = choices.iter().map(|choice| self.check(choice, value)).collect();
            return match faults.iter().filter(|fault| fault.is_ok()).count() {
                1 => Ok(()),
                0 => Err(closest(choices, value, faults)),
                several => Err(format!("{value} fits {several} choices")),
            };
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let fits = choices.iter().any(|choice| self.check(choice, value).is_ok());
            return if fits { Ok(()) } else { Err(format!("{value} fits no choice")) };
        }
        if !fits_type(&schema["type"], value) {
            return Err(format!("{value} is no {}", schema["type"]));
        }
        if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
            return Err(format!("{value} is none of those allowed"));
        }
        match value {
            Value::Object(fields) => self.check_fields(schema, fields),
            Value::Array(items) => {
                let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
                let len = u64::try_from(items.len()).unwrap();
                if least.is_some_and(|least| len < least) || most.is_some_and(|most| len > most) {
                    return Err(format!("{len} items"));
                }
                for (place, item) in items.iter().enumerate() {
                    self.check(&schema["items"], item).map_err(|fault| format!("[{place}] {fault}"))?;
                }
                Ok(())
            }
            Value::Number(number) => {
                let number = number.as_i128();
                let bound = |word: &str| schema[word].as_number().and_then(serde_json::Number::as_i128);
                let is_low = number < bound("minimum").or(number);
                let is_high = bound("maximum").is_some_and(|most| number > Some(most));
                if is_low || is_high { Err(format!("{value} is out of bounds")) } else { Ok(()) }
            }
            Value::String(text) => check_text(schema, text),
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn check_fields(&self, schema: &Value, fields: &Map<String, Value>) -> Result<(), String> {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(format!("{name} is missing"));
            }
        }
        for (name, value) in fields {
            let field = match (&schema["properties"][name], &schema["additionalProperties"]) {
                (Value::Null, Value::Bool(false)) => return Err(format!("{name} is not known")),
                (Value::Null, other) => other,
                (field, _) => field,
            };
            if field.is_object() {
                self.check(field, value).map_err(|fault| format!(".{name} {fault}"))?;
            }
        }
        Ok(())
    }

    /// Generates a value that fits.
    pub(crate) fn any(&self, schema: &Value, random: &mut Random) -> Value {
        let schema = self.resolve(schema);
        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            return self.any(random.among(choices), random);
        }
        if let Some(allowed) = schema["enum"].as_array() {
            return random.among(allowed).clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => random.among(kinds).as_str().unwrap(),
            Value::String(kind) => kind,
            _ => {
                return random
                    .among(&[json!(null), json!(true), json!(7), json!("text"), json!([]), json!({})])
                    .clone();
            }
        };
        match kind {
            "object" => {
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                let mut given = Map::new();
                for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                    if required.contains(&json!(name)) || random.below(2) == 0 {
                        given.insert(name.clone(), self.any(field, random));
                    }
                }
                given.into()
            }
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(0);
                let most = schema["maxItems"].as_u64().unwrap_or(least + 3);
                let len = least + random.below(most - least + 1);
                (0..len).map(|_| self.any(&schema["items"], random)).collect()
            }
            "integer" | "number" => number(schema, random),
            "boolean" => json!(random.below(2) == 0),
            "string" => text(schema, random),
            "null" => Value::Null,
            other => panic!("what is a {other}?"),
        }
    }

    /// Generates a value that does not fit, by one change of one that does.
    pub(crate) fn spoilt(&self, schema: &Value, random: &mut Random) -> Value {
        loop {
            let mut value = self.any(schema, random);
            spoil(&mut value, random);
            if self.check(schema, &value).is_err() {
                return value;
            }
        }
    }
}

/// Of several alternatives, names the one that was meant: an object with the same name.
fn closest(choices: &[Value], value: &Value, faults: Vec<Result<(), String>>) -> String {
    let named = value.as_object().and_then(|fields| fields.keys().next());
    let meant = |choice: &Value| named.is_some_and(|name| !choice["properties"][name].is_null());
    let meant = choices.iter().position(meant);
    meant.and_then(|place| faults.into_iter().nth(place)?.err()).unwrap_or_else(|| format!("{value} is no choice"))
}

fn fits_type(allowed: &Value, value: &Value) -> bool {
    let fits = |kind: &Value| match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("what is a {other}?"),
    };
    match allowed {
        Value::Array(kinds) => kinds.iter().any(fits),
        Value::String(_) => fits(allowed),
        _ => true,
    }
}

/// The description's patterns are of one kind: this many of these characters, perhaps with separators.
fn check_text(schema: &Value, text: &str) -> Result<(), String> {
    let len = u64::try_from(text.chars().count()).unwrap();
    let (least, most) = (schema["minLength"].as_u64(), schema["maxLength"].as_u64());
    if let Some(pattern) = schema["pattern"].as_str() {
        let (set, count, between) = hex_or_digits(pattern);
        let is_of = |character: char| set.contains(character) || between.contains(character);
        let counted = text.chars().filter(|character| set.contains(*character)).count();
        if !text.chars().all(is_of) || u64::try_from(counted).unwrap() != count {
            return Err(format!("{text:?} is not {pattern}"));
        }
    }
    if least.is_some_and(|least| len < least) || most.is_some_and(|most| len > most) {
        return Err(format!("{text:?} has {len} characters"));
    }
    Ok(())
}

fn hex_or_digits(pattern: &str) -> (&'static str, u64, &'static str) {
    let of = |open: &str, close: &str| pattern.strip_prefix(open)?.strip_suffix(close)?.parse().ok();
    match (of("^[0-9a-f]{", "}$"), of("^([ -]*[0-9]){", "}[ -]*$")) {
        (Some(count), _) => ("0123456789abcdef", count, ""),
        (_, Some(count)) => ("0123456789", count, " -"),
        (None, None) => panic!("what is {pattern}?"),
    }
}

fn number(schema: &Value, random: &mut Random) -> Value {
    let least = schema["minimum"].as_number().and_then(serde_json::Number::as_i128).unwrap_or(i64::MIN.into());
    let is_unsigned = schema["format"].as_str() == Some("uint64");
    let most = schema["maximum"].as_number().and_then(serde_json::Number::as_i128);
    let most = most.unwrap_or(if is_unsigned { u64::MAX.into() } else { i64::MAX.into() });
    let near = i128::from(random.below(12));
    let chosen = match random.below(6) {
        0 => least,
        1 => most,
        2 => 100 * near,
        _ => near,
    }
    .clamp(least, most);
    u64::try_from(chosen).map_or_else(|_| json!(i64::try_from(chosen).unwrap()), |chosen| json!(chosen))
}

fn text(schema: &Value, random: &mut Random) -> Value {
    if let Some(pattern) = schema["pattern"].as_str() {
        let (set, count, _) = hex_or_digits(pattern);
        let set: Vec<char> = set.chars().collect();
        return (0..count).map(|_| *random.among(&set)).collect::<String>().into();
    }
    let texts = [
        "",
        "why not",
        "<script>alert(1)</script>",
        "'; drop table blocks; --",
        "大小",
        "\u{0}",
        "%2e%2e/",
        "🎲",
        "10",
    ];
    let (least, most) = (schema["minLength"].as_u64().unwrap_or(0), schema["maxLength"].as_u64().unwrap_or(200));
    let fill = std::iter::repeat_n('x', usize::try_from(least).unwrap());
    let text: String = random.among(&texts).chars().chain(fill).take(usize::try_from(most).unwrap()).collect();
    text.into()
}

/// Makes one change somewhere.
fn spoil(value: &mut Value, random: &mut Random) {
    let inside = match value {
        Value::Object(fields) => u64::try_from(fields.len()).unwrap(),
        Value::Array(items) => u64::try_from(items.len()).unwrap(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    if inside > 0 && random.below(4) > 0 {
        let place = usize::try_from(random.below(inside)).unwrap();
        match value {
            Value::Object(fields) => return spoil(fields.values_mut().nth(place).unwrap(), random),
            Value::Array(items) => return spoil(&mut items[place], random),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => unreachable!(),
        }
    }
    let others = [
        json!(-1),
        json!(1.5),
        json!(1e99),
        json!("10"),
        json!(true),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!(null),
    ];
    match value {
        Value::Object(fields) if random.below(2) == 0 => {
            fields.insert("extra".to_owned(), json!(1));
        }
        Value::Object(fields) if !fields.is_empty() => {
            let name = random.among(&fields.keys().cloned().collect::<Vec<_>>()).clone();
            fields.remove(&name);
        }
        other => *other = random.among(&others).clone(),
    }
}
