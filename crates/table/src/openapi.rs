//! What roles and refusals look like as JSON, where their way to be written down is not derived.

use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::{Refusal, Role, Roles};

impl PartialSchema for Roles {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(Ref::from_schema_name(Role::name()))
            .description(Some("A set of roles, in any order."))
            .examples([[Role::Dealer.text()]])
            .into()
    }
}

impl ToSchema for Roles {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Role::name().into(), Role::schema()));
    }
}

impl PartialSchema for Refusal {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.iter().map(|refusal| refusal.code())))
            .description(Some("Why a machine refuses, by its stable code, in order of precedence."))
            .into()
    }
}

impl ToSchema for Refusal {}
