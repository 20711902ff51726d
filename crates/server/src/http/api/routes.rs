//! Routes and their handlers; for the test of the description, also the description of each handler.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::MethodRouter;
#[cfg(test)]
use utoipa::openapi::OpenApi;

use crate::server::SharedServer;

/// Routes below `/api/v1`. The attribute `endpoint` gives each handler the `add_to` that mounts it.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<SharedServer>,
    #[cfg(test)]
    description: OpenApi,
}

impl Routes {
    pub(crate) fn of<const N: usize>(handlers: [fn(Self) -> Self; N]) -> Self {
        handlers.into_iter().fold(Self::default(), |routes, add_to| add_to(routes))
    }

    pub(crate) fn route(mut self, path: &str, handler: MethodRouter<SharedServer>) -> Self {
        self.router = self.router.route(path, handler);
        self
    }

    /// Limits the size of request bodies on these routes.
    pub(crate) fn with_largest(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(DefaultBodyLimit::max(bytes));
        self
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        #[cfg(test)]
        self.description.merge(other.description);
        self
    }

    pub(crate) fn into_router(self) -> Router<SharedServer> {
        Router::new().nest("/api/v1", self.router)
    }
}

#[cfg(test)]
impl Routes {
    pub(crate) fn describe<H>(mut self) -> Self
    where
        H: utoipa::Path + utoipa::__dev::Tags<'static> + utoipa::__dev::SchemaReferences,
    {
        let (mut operation, mut schemas) = (H::operation(), Vec::new());
        let tags = H::tags();
        if !tags.is_empty() {
            operation.tags.get_or_insert_default().extend(tags.into_iter().map(str::to_owned));
        }
        H::schemas(&mut schemas);
        self.description.paths.add_path_operation(H::path(), H::methods(), operation);
        self.description.components.get_or_insert_default().schemas.extend(schemas);
        self
    }

    pub(crate) fn description(self) -> OpenApi {
        super::openapi::opening().nest("/api/v1", self.description)
    }
}
