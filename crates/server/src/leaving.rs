//! What leaves a machine once the record holds what it rests on: answers, what screens are shown, and letters to other machines.
//! It is gathered while commands are decided, carried by the writer's completion, and said in order by the voice of the table.

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use taisai_table::{Refusal, Verdict};
use tokio::sync::{mpsc, oneshot};

use crate::house::HouseMail;
use crate::line::Line;

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It was carried out, now or when it was sent before.
    Accepted,
    /// It was not.
    Refused(Refused),
}

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The refusal's name.
    pub code: &'static str,
    /// The paragraphs of the game that it rests on.
    pub paragraphs: Vec<String>,
    /// What is wrong, for people.
    pub sentence: &'static str,
}

impl Answer {
    /// What a verdict is told as.
    pub(crate) fn new(verdict: Verdict, paragraphs: impl FnOnce(Refusal) -> Vec<String>) -> Self {
        match verdict {
            Verdict::Accepted => Self::Accepted,
            Verdict::Refused(refusal) => Self::Refused(Refused {
                code: refusal.code(),
                paragraphs: paragraphs(refusal),
                sentence: refusal.sentence(),
            }),
        }
    }
}

/// Who waits for an answer.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Someone who waits for this answer alone.
    Once(oneshot::Sender<Answer>),
    /// A screen, which numbered its commands.
    Line(Line, u64),
    /// A terminal, whose answer goes with what it is shown of its seat.
    Seat(u64),
    /// Nobody.
    Nobody,
}

/// What may leave together.
#[derive(Debug, Default)]
pub(crate) struct Leaving {
    pub(crate) said: Vec<Said>,
}

/// Something that leaves.
#[derive(Debug)]
pub(crate) enum Said {
    /// An answer.
    Answer(oneshot::Sender<Answer>, Answer),
    /// A message to one screen.
    To(Line, Utf8Bytes),
    /// A letter to the House.
    ToHouse(HouseMail),
    /// A message to every screen that follows a topic.
    All(Topic, Utf8Bytes),
    /// A screen follows topics from now on, and is shown how they stand.
    Follows(Line, Vec<Topic>, Utf8Bytes),
}

/// What screens can follow at one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// What anyone at the table may see.
    Public,
    /// What its staff see beside it.
    Staff,
}

impl Topic {
    const ALL: usize = 2;

    const fn place(self) -> usize {
        match self {
            Self::Public => 0,
            Self::Staff => 1,
        }
    }
}

/// Says what leaves, in order, until there is no one who could speak.
pub(crate) async fn voice(mut leaving: mpsc::UnboundedReceiver<Leaving>, house: mpsc::Sender<HouseMail>) {
    let mut followers: [Vec<Line>; Topic::ALL] = [Vec::new(), Vec::new()];
    while let Some(Leaving { said }) = leaving.recv().await {
        for said in said {
            match said {
                // Whoever asked may have gone.
                Said::Answer(reply, answer) => reply.send(answer).unwrap_or_default(),
                Said::To(line, message) => {
                    line.say(message);
                }
                // If the House has stopped the program stops with it.
                Said::ToHouse(letter) => house.send(letter).await.unwrap_or_default(),
                Said::All(topic, message) => followers[topic.place()].retain(|line| line.say(message.clone())),
                Said::Follows(line, topics, message) => {
                    if line.say(message) {
                        for topic in topics {
                            followers[topic.place()].push(line.clone());
                        }
                    }
                }
            }
        }
    }
}
