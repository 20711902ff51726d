//! Replies to commands as JSON.

use std::borrow::Cow;

use axum::extract::ws::Utf8Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taisai_engine::Reply;
use taisai_rules::Game;
use taisai_table::{Refusal, Verdict};

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Answer))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CommandReply {
    /// It was carried out, now or when it was sent before; with what came of it, where the command does not say it all.
    Accepted(#[serde(skip_serializing_if = "Option::is_none")] Option<Value>),
    /// It was not.
    Refused(Refused),
}

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Refused {
    /// The refusal's name.
    #[cfg_attr(test, schema(value_type = crate::http::api::Code))]
    pub(crate) code: Cow<'static, str>,
    /// The paragraphs of the game that it rests on.
    pub(crate) paragraphs: Vec<String>,
    /// What is wrong, for people.
    pub(crate) sentence: Cow<'static, str>,
    /// What the casino has on file of what was presented, where that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<Value>,
}

impl CommandReply {
    pub(crate) fn with(event: &impl Serialize) -> Self {
        Self::Accepted(Some(serde_json::to_value(event).expect("an event can be written down")))
    }

    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self::Refused(Refused::of(refusal, None))
    }

    /// The House has no game, and so cites no paragraphs.
    pub(crate) fn of(reply: &Reply, game: Option<&Game>) -> Self {
        match reply.verdict {
            Verdict::Accepted => reply.event.as_deref().map_or(Self::Accepted(None), Self::with),
            Verdict::Refused(refusal) => Self::Refused(Refused::of(refusal, game)),
        }
    }
}

impl Refused {
    fn of(refusal: Refusal, game: Option<&Game>) -> Self {
        let paragraphs = game.map(|game| refusal.paragraphs(game).iter().map(ToString::to_string).collect());
        Self {
            code: refusal.code().into(),
            paragraphs: paragraphs.unwrap_or_default(),
            sentence: refusal.sentence().into(),
            detail: None,
        }
    }
}

/// The answer to a numbered command.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Answered))]
pub(crate) struct NumberedReply {
    pub(crate) sequence: u64,
    pub(crate) answer: CommandReply,
}

/// Answers, as a screen is sent them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Answers))]
pub(crate) struct NumberedReplies {
    pub(crate) answers: Vec<NumberedReply>,
}

impl NumberedReplies {
    pub(crate) fn one(sequence: u64, answer: CommandReply) -> Utf8Bytes {
        json(&Self { answers: vec![NumberedReply { sequence, answer }] })
    }
}

pub(crate) fn json(message: &impl Serialize) -> Utf8Bytes {
    serde_json::to_string(message).expect("a message can be written down").into()
}
