//! The schema of an act or a command.

use std::borrow::Cow;

use utoipa::openapi::schema::{OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::act::ActOrCommand;

impl<W: ToSchema, C: ToSchema> PartialSchema for ActOrCommand<W, C> {
    fn schema() -> RefOr<Schema> {
        let of = |name| Ref::from_schema_name(name);
        OneOfBuilder::new().item(of(W::name())).item(of(C::name())).into()
    }
}

impl<W: ToSchema, C: ToSchema> ToSchema for ActOrCommand<W, C> {
    fn name() -> Cow<'static, str> {
        format!("{}Or{}", W::name(), C::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend([(W::name().into_owned(), W::schema()), (C::name().into_owned(), C::schema())]);
        W::schemas(schemas);
        C::schemas(schemas);
    }
}
