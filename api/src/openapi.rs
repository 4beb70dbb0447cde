//! OpenAPI document: completes what the routes declare. `web/openapi.json` is a committed copy; a test fails when it is
//! stale, and the web app's types are generated from it.
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};
use utoipa::{
    OpenApi,
    openapi::{
        Content, Ref, RefOr, ResponseBuilder,
        header::HeaderBuilder,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem},
        schema::{ArrayBuilder, ObjectBuilder, Schema, Type},
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "SPV Portal",
        description = "Everything the portal does. Sign in at `/auth/v1/token` and send the access token as `Authorization: Bearer …`. \
            Amounts are decimal numbers as text beside a currency, times are RFC 3339 in UTC, lists are paged with `cursor`. \
            A row carries its `version` (also as `ETag`; send it back as `If-Match`) and what you `can` do with it.",
        license(name = "MIT")
    ),
    components(schemas(crate::error::ErrorBody))
)]
struct Document;

/// The document's title, description and shared schemas, before the routes are added.
pub fn base() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// The document of all routes as pretty JSON, with a line end.
pub fn render(mut document: utoipa::openapi::OpenApi) -> String {
    complete(&mut document);
    let mut text = document.to_pretty_json().expect("the document is plain data");
    text.push('\n');
    text
}

/// The rendered document with the server at `base_path`, to which its paths are relative; none is `/`.
pub fn with_base_path(document: &'static str, base_path: &str) -> Cow<'static, str> {
    if base_path.is_empty() {
        return document.into();
    }
    document.replacen('{', &format!("{{\n  \"servers\": [{{ \"url\": \"{base_path}\" }}],"), 1).into()
}

/// Adds what all operations share: security, error responses, `If-Match`, `Idempotency-Key` and `ETag` headers.
fn complete(document: &mut utoipa::openapi::OpenApi) {
    let (mut inputs, mut answers) = (BTreeSet::new(), BTreeSet::new());
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            describe(method, path, operation);
            inputs.extend(body_schema(operation));
            answers.extend(referenced(&operation.responses));
        }
    }
    let components = document.components.get_or_insert_default();
    components.security_schemes.insert(
        "bearer".to_owned(),
        RefOr::T(SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build())),
    );
    for (status, description) in REFUSALS {
        components.responses.insert(format!("Refused_{status}"), refusal(description));
    }
    // Schemas nested in inputs are inputs too, unless responses use them as well.
    let nested: Vec<String> =
        closure(&components.schemas, &inputs).difference(&closure(&components.schemas, &answers)).cloned().collect();
    inputs.extend(nested);
    for (name, schema) in &mut components.schemas {
        if let Some((_, item)) = name.split_once('_') {
            reference_items(schema, item);
        }
        if !inputs.contains(name) && !["ErrorBody", "FieldError"].contains(&name.as_str()) {
            require_all(schema);
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("get", &mut item.get),
        ("head", &mut item.head),
        ("post", &mut item.post),
        ("put", &mut item.put),
        ("patch", &mut item.patch),
        ("delete", &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn describe(method: &str, path: &str, operation: &mut Operation) {
    let public = operation.security.is_some();
    if !public {
        operation.security = Some(vec![SecurityRequirement::new("bearer", Vec::<String>::new())]);
    }
    let by_id = path.contains("{id}");
    let has_body = operation.request_body.is_some();
    let has_query =
        operation.parameters.iter().flatten().any(|p| matches!(p, RefOr::T(p) if p.parameter_in == ParameterIn::Query));
    let answers = |status| operation.responses.responses.contains_key(status);
    // 202 beside 200: an act that may wait for a second super admin.
    let creates = answers("201") || (answers("202") && !answers("200"));
    let row = add_etag(operation);
    let refusals = [
        ("400", has_body || has_query),
        ("401", !public),
        ("403", !public),
        ("404", by_id),
        ("409", method != "get"),
        ("413", has_body),
        ("422", has_body || has_query),
        ("429", public && method == "post"),
        ("503", true),
        ("default", true),
    ];
    for (status, _) in refusals.into_iter().filter(|(_, applies)| *applies) {
        let refusal = RefOr::Ref(Ref::from_response_name(format!("Refused_{status}")));
        operation.responses.responses.insert(status.to_owned(), refusal);
    }
    let mut parameters = operation.parameters.take().unwrap_or_default();
    let changes = (by_id || method == "patch") && has_body && method != "get" && row;
    let is_one_of = |ids: &[&str]| operation.operation_id.as_deref().is_some_and(|id| ids.contains(&id));
    if (changes && !is_one_of(&TAKES_NO_VERSION)) || is_one_of(&TAKES_VERSION) {
        let meaning = "The expected `version`; a newer one is not overwritten. `*` overwrites any.";
        parameters.push(header_parameter("If-Match", meaning, true));
    }
    if parameters.iter().any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.name == "If-Match")) {
        operation.responses.responses.insert("428".to_owned(), RefOr::Ref(Ref::from_response_name("Refused_428")));
    }
    if method == "post" && creates && ["/rest/", "/functions/"].iter().any(|root| path.starts_with(root)) {
        parameters.push(header_parameter(
            "Idempotency-Key",
            "Repeated requests with the same key and body create one row.",
            false,
        ));
    }
    operation.parameters = (!parameters.is_empty()).then_some(parameters);
}

/// Adds the `ETag` header to a response that is a versioned row; returns whether it is one.
fn add_etag(operation: &mut Operation) -> bool {
    let Some((_, RefOr::T(response))) =
        operation.responses.responses.iter_mut().find(|(status, _)| *status == "200" || *status == "201")
    else {
        return false;
    };
    let row = response.content.values().any(|content| {
        matches!(content, RefOr::T(Content { schema: Some(RefOr::Ref(Ref { ref_location, .. })), .. })
            if VERSIONED_ROWS.iter().any(|row| ref_location.ends_with(&format!("/{row}"))))
    });
    if row {
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        let tag = HeaderBuilder::new().schema(Some(text)).description(Some("The row's `version`, in quotes.")).build();
        response.headers.insert("ETag".to_owned(), RefOr::T(tag));
    }
    row
}

/// Schemas of versioned rows.
const VERSIONED_ROWS: [&str; 26] = [
    "Account",
    "AccountDetail",
    "Approval",
    "Call",
    "Client",
    "ClientCreated",
    "Commission",
    "Company",
    "CompanyDetail",
    "CompanySettings",
    "CorrectedSpv",
    "DocumentDetail",
    "DocumentRequest",
    "InvoiceDetail",
    "Iso",
    "IsoDetail",
    "Lead",
    "PayoutAccount",
    "PayoutRun",
    "Profile",
    "ReportSchedule",
    "Request",
    "Service",
    "SpvDetail",
    "Step",
    "StepChanged",
];

/// Operations that take `If-Match` although they do not return a versioned row.
const TAKES_VERSION: [&str; 7] =
    ["company_delete", "document_delete", "iso_delete", "service_delete", "spv_preview", "step_delete", "template_set"];

/// Operations without `If-Match`: they overwrite nothing, but add or send something or end sessions.
const TAKES_NO_VERSION: [&str; 8] = [
    "client_invite",
    "company_logo_set",
    "document_request_create",
    "invoice_send_receipt",
    "step_create",
    "user_invite",
    "user_reset_mfa",
    "user_sign_out",
];

/// Descriptions of the error responses.
const REFUSALS: [(&str, &str); 11] = [
    ("400", "The request cannot be read, or names a field that does not exist."),
    ("401", "Not signed in, or the session has ended."),
    ("403", "Not allowed for the caller."),
    ("404", "No such row, or it is outside the caller's scope."),
    ("409", "The state of the row does not allow it; `stale` when the row was changed meanwhile."),
    ("413", "The body is too large."),
    ("422", "Invalid fields, each with its reason."),
    ("428", "`If-Match` is missing."),
    ("429", "Rate limit exceeded; see `Retry-After`."),
    ("503", "The database is unavailable; see `Retry-After`."),
    ("default", "Any other error."),
];

fn refusal(description: &str) -> RefOr<utoipa::openapi::Response> {
    let body = Content::new(Some(RefOr::Ref(Ref::from_schema_name("ErrorBody"))));
    RefOr::T(ResponseBuilder::new().description(description).content("application/json", body).build())
}

fn header_parameter(name: &str, description: &str, required: bool) -> RefOr<Parameter> {
    let required = if required { utoipa::openapi::Required::True } else { utoipa::openapi::Required::False };
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(required)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .build();
    RefOr::T(parameter)
}

/// The schema of an operation's request body.
fn body_schema(operation: &Operation) -> Option<String> {
    let RefOr::T(body) = operation.request_body.as_ref()? else { return None };
    match body.content.get("application/json")? {
        RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) => {
            reference.ref_location.rsplit('/').next().map(str::to_owned)
        }
        _ => None,
    }
}

/// Makes a generic list refer to its item schema by name instead of inlining it.
fn reference_items(schema: &mut RefOr<Schema>, item: &str) {
    if let RefOr::T(Schema::Object(list)) = schema
        && let Some(items) = list.properties.get_mut("items")
    {
        *items = RefOr::T(ArrayBuilder::new().items(Ref::from_schema_name(item)).into());
    }
}

/// The schemas that a part of the document refers to.
fn referenced(part: &impl Serialize) -> BTreeSet<String> {
    let text = serde_json::to_string(part).expect("the document is plain data");
    let after = text.split("\"#/components/schemas/").skip(1);
    after.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// `from` and all schemas that they refer to.
fn closure(schemas: &BTreeMap<String, RefOr<Schema>>, from: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = from.iter().cloned().collect();
    while let Some(name) = next.pop() {
        if let Some(schema) = schemas.get(&name) {
            next.extend(referenced(schema).into_iter().filter(|inner| !found.contains(inner)));
        }
        found.insert(name);
    }
    found
}

/// Responses always carry every field, null where it has no value.
fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_all),
        _ => {}
    }
}
