//! `#[endpoint]` gives an HTTP handler its method and path, spelled once, and its description for `openapi.json`:
//!
//! ```text
//! #[endpoint(get, "/tables/{table}", responses((status = 200, body = TableView)))]
//! async fn table(…) -> … {}
//!
//! Routes::of([table::add_to])
//! ```
//!
//! The description is compiled for tests only. A test compares it with the committed `openapi.json`, which the server serves as it
//! is, so that a server is built without `utoipa`.

use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// Generates a module of the handler's name with a function `add_to`, which mounts the handler on the crate's `http::api::Routes`.
///
/// The first two arguments are the method and the path below `/api/v1`; `utoipa::path` takes the rest.
#[proc_macro_attribute]
pub fn endpoint(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    let mut arguments = arguments.into_iter();
    let (Some(TokenTree::Ident(method)), Some(_), Some(TokenTree::Literal(path))) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return parsed("compile_error!(\"expected a method and a path: #[endpoint(get, \\\"/tables\\\", …)]\");");
    };
    let Some(name) = name_of(&handler) else {
        return parsed("compile_error!(\"expected a function\");");
    };
    let mount = parsed(&format!(
        "pub(crate) mod {name} {{
            pub(crate) fn add_to(routes: crate::http::api::Routes) -> crate::http::api::Routes {{
                let routes = routes.route({path}, ::axum::routing::{method}(super::{name}));
                #[cfg(test)]
                let routes = routes.describe::<super::__path_{name}>();
                routes
            }}
        }}"
    ));
    let described = [method.into(), punct(','), ident("path"), punct('='), path.into()].into_iter().chain(arguments);
    // Handlers are async functions whether or not they wait for something.
    let mut whole = parsed("#[allow(clippy::unused_async)]");
    whole.extend(description(described.collect()));
    whole.extend(handler);
    whole.extend(mount);
    whole
}

fn name_of(handler: &TokenStream) -> Option<Ident> {
    let mut tokens = handler.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"))?;
    match tokens.next()? {
        TokenTree::Ident(name) => Some(name),
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    }
}

/// `#[cfg_attr(test, utoipa::path(…))]`
fn description(arguments: TokenStream) -> TokenStream {
    let mut inside = parsed("test, utoipa::path");
    inside.extend([group(Delimiter::Parenthesis, arguments)]);
    let attribute = [ident("cfg_attr"), group(Delimiter::Parenthesis, inside)].into_iter().collect();
    [punct('#'), group(Delimiter::Bracket, attribute)].into_iter().collect()
}

fn parsed(code: &str) -> TokenStream {
    code.parse().expect("the attribute writes Rust")
}

fn punct(sign: char) -> TokenTree {
    Punct::new(sign, Spacing::Alone).into()
}

fn ident(word: &str) -> TokenTree {
    Ident::new(word, Span::call_site()).into()
}

fn group(delimiter: Delimiter, inside: TokenStream) -> TokenTree {
    Group::new(delimiter, inside).into()
}
