//! The socket messages in the description: a view as snapshot and changes, and all messages of each kind of screen.

use std::borrow::Cow;

use taisai_engine::PublicView;
use utoipa::openapi::schema::{OneOfBuilder, Ref, Schema};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::devices::acceptor::FromAcceptor;
use crate::devices::chip_reader::FromReader;
use crate::devices::{Challenge, DeviceReply, Signed};
use crate::http::reply::NumberedReplies;
use crate::ws::publisher::ToHouseScreen;
use crate::ws::publisher::{SeatMessage, Snapshot, StaffView};
use crate::ws::{FromHouseScreen, FromStaff, FromTerminal, Heartbeat, ToTerminal};

type Schemas = Vec<(String, RefOr<Schema>)>;

fn numbered<V: ToSchema>() -> Object {
    let RefOr::T(Schema::Object(mut view)) = V::schema() else { unreachable!("a view has fields") };
    view.properties.insert("number".to_owned(), u64::schema());
    view
}

macro_rules! numbered_views {
    ($($view:ty, $whole:ident, $change:ident;)*) => {
        $(
            /// A part as it stands, with the number of its last change.
            pub(crate) struct $whole;

            impl PartialSchema for $whole {
                fn schema() -> RefOr<Schema> {
                    let mut view = numbered::<$view>();
                    view.required.push("number".to_owned());
                    RefOr::T(view.into())
                }
            }

            impl ToSchema for $whole {
                fn name() -> Cow<'static, str> {
                    <$view>::name()
                }

                fn schemas(schemas: &mut Schemas) {
                    <$view>::schemas(schemas);
                }
            }

            /// The fields of a part that have changed, with the number of the change.
            struct $change;

            impl PartialSchema for $change {
                fn schema() -> RefOr<Schema> {
                    let mut view = numbered::<$view>();
                    view.required = vec!["number".to_owned()];
                    view.description = Some("The fields that have changed, and the number of the change.".to_owned());
                    RefOr::T(view.into())
                }
            }

            impl ToSchema for $change {
                fn schemas(schemas: &mut Schemas) {
                    <$view>::schemas(schemas);
                }
            }
        )*
    };
}

numbered_views! {
    PublicView, WholePublic, PublicChange;
    StaffView, WholeStaff, StaffChange;
}

/// What screens at a table are sent, beside answers and seats.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, clippy::large_enum_variant, reason = "it describes what is written from changes")]
enum TableMessage {
    /// Everything that it is shown, once.
    Snapshot(Snapshot),
    /// What has changed of the table as everyone sees it.
    Public(PublicChange),
    /// What has changed of the table as its staff see it.
    Staff(StaffChange),
}

macro_rules! socket_messages {
    ($($name:ident, $description:literal: $($message:ty),+;)*) => {
        $(
            #[doc = $description]
            pub(super) struct $name;

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    let messages = OneOfBuilder::new()$(.item(Ref::from_schema_name(<$message>::name())))+;
                    messages.description(Some($description)).into()
                }
            }

            impl ToSchema for $name {
                fn schemas(schemas: &mut Schemas) {
                    $(
                        schemas.push((<$message>::name().into(), <$message>::schema()));
                        <$message>::schemas(schemas);
                    )+
                }
            }
        )*
    };
}

socket_messages! {
    TerminalSends, "What a Player Terminal sends: it proves itself first.": Signed, FromTerminal;
    TerminalReceives, "What a Player Terminal is sent: a challenge first.": Challenge, TableMessage, SeatMessage<'static>, NumberedReplies, ToTerminal<'static>, Heartbeat;
    AcceptorSends, "What a note acceptor sends: it proves itself first.": Signed, FromAcceptor;
    AcceptorReceives, "What a note acceptor is sent: a challenge first.": Challenge, DeviceReply, Heartbeat;
    ReaderSends, "What a chip reader sends: it proves itself first.": Signed, FromReader;
    ReaderReceives, "What a chip reader is sent: a challenge first.": Challenge, DeviceReply, Heartbeat;
    ConsoleSends, "What a staff screen at a table sends.": FromStaff;
    ConsoleReceives, "What a staff screen at a table is sent.": TableMessage, NumberedReplies, Heartbeat;
    DisplayReceives, "What a display is sent: the snapshot and the changes of what anyone sees.": TableMessage, Heartbeat;
    HouseScreenSends, "What a screen of the pit, the cage or the audit sends.": FromHouseScreen;
    HouseScreenReceives, "What a screen of the pit, the cage or the audit is sent.": ToHouseScreen, NumberedReplies, Heartbeat;
}
