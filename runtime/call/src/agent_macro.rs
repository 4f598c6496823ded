//! Macros that declare the trait and the client of an agent, and turn implementations into handlers.

/// Handlers that pass each call to an implementation of an agent's trait. Generated code calls it.
///
/// The arguments are the implementation, the id of the agent and the trait; then each capability with its method.
#[doc(hidden)]
#[macro_export]
macro_rules! handlers {
    ($implementation:expr, $id:expr, $agent:path $(, $capability:ty, $method:ident)* $(,)?) => {{
        let implementation = ::std::sync::Arc::new($implementation);
        let handlers = $crate::Handlers::new($id);
        $(
            let shared = ::std::sync::Arc::clone(&implementation);
            let handlers = handlers.with::<$capability, _, _>(move |context, request| {
                let implementation = ::std::sync::Arc::clone(&shared);
                // A method of another trait may have the same name.
                async move {
                    let result = <_ as $agent>::$method(&*implementation, context, request).await;
                    result.map_err($crate::Failure::from)
                }
            });
        )*
        ::core::mem::drop(implementation);
        handlers
    }};
}

/// Declares the trait that an agent implements, the function that turns an implementation into
/// [`Handlers`](crate::Handlers), and the client that calls the agent: for capabilities that are declared in Rust, the
/// items that are generated for contracts with the option `calls`.
///
/// The id of the agent follows `=`. Each method names a capability; the request and the response are those of the
/// capability. `, errors TYPE` after it is the error of the implementation instead of [`Failure`](crate::Failure), into
/// which it converts; `, options NAME` adds a method of the client that takes the options of the call. Visibility and
/// attributes are those of the trait; each method has its documentation in the trait and in the client.
///
/// ```
/// use std::time::Duration;
///
/// use capgen_call::{CallError, CallOptions, Client, Context, Failure};
/// # use capgen_payload::{Capability, Descriptor};
/// # #[derive(Debug)]
/// # struct Echo;
/// # impl Capability for Echo {
/// #     type Request = serde_json::Value;
/// #     type Response = serde_json::Value;
/// #     const NAME: &'static str = "echo";
/// #     fn descriptor() -> &'static Descriptor {
/// #         const DESCRIPTOR: Descriptor = Descriptor::new("parrot", "echo", "");
/// #         &DESCRIPTOR
/// #     }
/// # }
/// capgen_call::agent! {
///     /// Repeats each request.
///     pub trait Parrot = "parrot", handlers parrot_handlers, client ParrotClient {
///         /// Repeat the request.
///         fn echo(Echo), options echo_with;
///     }
/// }
///
/// struct Polly;
///
/// impl Parrot for Polly {
///     async fn echo(&self, _: Context, request: serde_json::Value) -> Result<serde_json::Value, Failure> {
///         Ok(request)
///     }
/// }
///
/// let handlers = parrot_handlers(Polly);
/// async fn call(client: Client) -> Result<serde_json::Value, CallError> {
///     let (parrot, request) = (ParrotClient::new(client), "hello".into());
///     parrot.echo(&request).await?;
///     parrot.echo_with(&request, &CallOptions::new().timeout(Duration::from_secs(1))).await
/// }
/// ```
#[macro_export]
macro_rules! agent {
    (@errors) => { $crate::Failure };
    (@errors $errors:ty) => { $errors };
    (
        $(#[$attribute:meta])*
        $visibility:vis trait $agent:ident = $id:literal, handlers $handlers:ident, client $client:ident {
            $($(#[$method_attribute:meta])* fn $method:ident($capability:ty) $(, errors $errors:ty)? $(, options $with_options:ident)?;)*
        }
    ) => {
        $(#[$attribute])*
        #[allow(dead_code, reason = "many programs only call the agent")]
        $visibility trait $agent: ::core::marker::Send + ::core::marker::Sync + 'static {
            $(
                $(#[$method_attribute])*
                fn $method(
                    &self,
                    context: $crate::Context,
                    request: <$capability as $crate::Capability>::Request,
                ) -> impl ::core::future::Future<
                    Output = ::core::result::Result<
                        <$capability as $crate::Capability>::Response,
                        $crate::agent!(@errors $($errors)?),
                    >,
                > + ::core::marker::Send;
            )*
        }

        #[doc = ::core::concat!("Returns handlers that pass each call to an implementation of [`", ::core::stringify!($agent), "`].")]
        #[allow(dead_code, reason = "many programs only call the agent")]
        $visibility fn $handlers(agent: impl $agent) -> $crate::Handlers {
            $crate::handlers!(agent, $id, $agent $(, $capability, $method)*)
        }

        #[doc = ::core::concat!("Calls the agent `", $id, "`.")]
        #[derive(::core::fmt::Debug, ::core::clone::Clone)]
        #[allow(dead_code, reason = "many programs only implement the agent")]
        $visibility struct $client {
            client: $crate::Client,
            options: $crate::CallOptions,
        }

        #[allow(dead_code, reason = "many programs use only some of the methods")]
        impl $client {
            /// Creates a client with the default options.
            #[must_use]
            $visibility fn new(client: $crate::Client) -> Self {
                // A capability that is declared in Rust does not know its agent.
                let options = <$crate::CallOptions as ::core::default::Default>::default();
                Self { client, options: options.or_peer($id) }
            }

            /// Sets the options of all calls.
            #[must_use]
            $visibility fn with_options(mut self, options: $crate::CallOptions) -> Self {
                self.options = options.or_peer($id);
                self
            }

            $(
                $(#[$method_attribute])*
                ///
                /// # Errors
                ///
                /// The call did not end with a valid response.
                $visibility async fn $method(
                    &self,
                    request: &<$capability as $crate::Capability>::Request,
                ) -> ::core::result::Result<<$capability as $crate::Capability>::Response, $crate::CallError> {
                    self.client.call_with::<$capability>(request, &self.options).await
                }

                $(
                    #[doc = ::core::concat!("Like [`", ::core::stringify!($method), "`](Self::", ::core::stringify!($method), "), with the options of this call alone.")]
                    ///
                    /// # Errors
                    ///
                    /// The call did not end with a valid response.
                    $visibility async fn $with_options(
                        &self,
                        request: &<$capability as $crate::Capability>::Request,
                        options: &$crate::CallOptions,
                    ) -> ::core::result::Result<<$capability as $crate::Capability>::Response, $crate::CallError> {
                        let options = ::core::clone::Clone::clone(options).or_peer($id);
                        self.client.call_with::<$capability>(request, &options).await
                    }
                )?
            )*
        }
    };
}
