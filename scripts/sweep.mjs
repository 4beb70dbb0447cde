// Sweep: asks every GET of the OpenAPI document as each role, with 20,000 and with 200,000 orders, and lists what takes
// longer than 50 ms or grew by more than 1.5 times; streams and files aside. Then 32 searches at once, for their p99.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const spvctlPath = process.env.SWEEP_BINARY ?? join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release/spvctl");
const work = process.env.SWEEP_DIR ?? join(root, "target/sweep");
const sizes = (process.env.SWEEP_SIZES ?? "20000,200000").split(",").map(Number);
const passes = Number(process.env.SWEEP_PASSES ?? 7);
const [MAX_MS, MAX_GROWTH] = [50, 1.5];
/** Growth below this is noise of the machine, not of the data. */
const MIN_MS = 5;
const SEARCHES = 32;
const password = "portal-demo-2026";
const port = Number(process.env.SWEEP_PORT ?? 18521);
const base = `http://127.0.0.1:${port}`;
const say = (text) => process.stderr.write(`${text}\n`);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const document = JSON.parse(readFileSync(join(root, "web/openapi.json"), "utf8"));

/** Search terms: a word of every order, of a few, of none, a prefix and an identifier. */
const words = (samples) => ["load", "client", "lo", "00017", "zzzz", "load 00017", samples.identifier];

/** Requests of an operation: plain, by each word, and with ids where it needs some. */
function requests(path, operation, samples) {
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const types = answers.flatMap(([, answer]) => Object.keys(answer.content ?? {}));
  if (!types.includes("application/json")) return [];
  const noun = path.split("/").at(path.includes("{id}") ? path.split("/").indexOf("{id}") - 1 : -1);
  const at = path.replace("{id}", samples[noun] ?? samples.nothing);
  const query = new URLSearchParams();
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  for (const { name, required } of parameters) if (required) query.set(name, samples[name] ?? samples.nothing);
  const asked = (more) => {
    const all = new URLSearchParams([...query, ...Object.entries(more)]).toString();
    return all ? `${at}?${all}` : at;
  };
  const has = (name) => parameters.some((parameter) => parameter.name === name);
  return [
    asked({}),
    ...(has("q") ? words(samples).map((q) => asked({ q })) : []),
    ...(has("q") && has("status") && noun === "spvs" ? [asked({ q: "load", status: "closed" })] : []),
    ...(has("company_id") ? [asked({ company_id: samples.companies })] : []),
  ];
}

async function ask(path, token) {
  const began = performance.now();
  const answer = await fetch(base + path, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  await answer.arrayBuffer();
  return { ms: performance.now() - began, status: answer.status };
}

async function token(email, given, own = password) {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ email, password: own });
  const answer = await fetch(`${base}/auth/v1/token?grant_type=password`, { method: "POST", headers: json, body });
  const found = await answer.json();
  if (!answer.ok) throw new Error(`${email}: ${JSON.stringify(found)}`);
  const bearer = { ...json, authorization: `Bearer ${found.access_token}` };
  // A first password set by the operator must be changed before anything else.
  if (given) await fetch(`${base}/auth/v1/user`, { method: "PUT", headers: bearer, body: JSON.stringify({ password: `${password}-changed` }) });
  return found.access_token;
}

/** Starts the portal, answers its process. */
async function serve(env) {
  const server = spawn(spvctlPath, ["serve"], { env, stdio: "ignore" });
  process.on("exit", () => server.kill("SIGKILL"));
  for (let i = 0; i < 400; i += 1) {
    if (await fetch(`${base}/healthz`).then((answer) => answer.ok, () => false)) return server;
    await wait(50);
  }
  throw new Error(`${base} does not answer`);
}

/** Median of every request as every role, in milliseconds. */
async function measure(tokens, samples) {
  const found = new Map();
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!operations.get) continue;
    for (const request of requests(path, operations.get, samples)) {
      for (const [role, bearer] of Object.entries(tokens)) {
        const times = [];
        const { status } = await ask(request, bearer);
        // A timeout or an error of ours counts as endless.
        if (status >= 500) found.set(`${role} ${request}`, Infinity);
        // Refusals are not measured.
        for (let i = 0; i < passes && status < 400; i += 1) times.push((await ask(request, bearer)).ms);
        if (times.length) found.set(`${role} ${request}`, quantile(times, 0.5));
      }
    }
  }
  return found;
}

/** p99 of searches while 32 are asked at once. */
async function crowd(bearer, samples) {
  const rows = [];
  for (const q of words(samples)) {
    const times = [];
    const one = async () => {
      for (let i = 0; i < 30; i += 1) times.push((await ask(`/rest/v1/search?q=${encodeURIComponent(q)}`, bearer)).ms);
    };
    await Promise.all(Array.from({ length: SEARCHES }, one));
    const alone = [];
    for (let i = 0; i < 100; i += 1) alone.push((await ask(`/rest/v1/search?q=${encodeURIComponent(q)}`, bearer)).ms);
    rows.push({ q, alone: quantile(alone, 0.99), p99: quantile(times, 0.99) });
  }
  return rows;
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const env = {
  ...process.env, SPV_DATA_DIR: work, SPV_LISTEN: `127.0.0.1:${port}`, SPV_LOG: "error", SPV_DEMO_PASSWORD: password,
  SPV_AUTH_REQUIRE_MFA: "none", SPV_AUTH_RATE_LIMITS: "false",
};
const spvctl = (args, input, more) => execFileSync(spvctlPath, args, { env: { ...env, ...more }, input, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] });
const list = (noun, ...more) => JSON.parse(spvctl([noun, "list", "--format", "json", ...more])).items;
spvctl(["migrate"]);
let [there, samples] = [0, undefined];
const measured = [];
for (const size of sizes) {
  const began = performance.now();
  // Seeding a portal in use needs demo mode.
  spvctl(["seed", "--spvs", String(size - there)], undefined, { SPV_DEMO: "true" });
  say(`${size - there} orders seeded in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  there = size;
  if (!samples) {
    const [company] = list("company");
    const [iso] = list("iso", "--company", company.id);
    const [spv] = list("spv", "--company", company.id, "--limit", "1");
    for (const [role, extra] of [["employee", []], ["super_admin", []], ["company_admin", ["--company", company.id]]]) {
      spvctl(["user", "create", "--role", role, "--first-name", "Sweep", "--last-name", role, "--email", `${role}@sweep.example`, "--password-stdin", ...extra], password);
    }
    samples = { companies: company.id, company_id: company.id, isos: iso.id, iso: iso.email, spvs: spv.id, spv_id: spv.id, clients: spv.client_id, users: spv.client_id,
      identifier: `SPV-${spv.id.slice(0, 8)}`, templates: "US", nothing: "00000000-0000-4000-8000-000000000000" };
  }
  const server = await serve(env);
  const tokens = { visitor: undefined };
  for (const role of ["employee", "super_admin", "company_admin"]) {
    const first = size === sizes[0];
    tokens[role] = await token(`${role}@sweep.example`, first, first ? password : `${password}-changed`);
  }
  const client = await (await fetch(`${base}/rest/v1/clients/${samples.clients}`, { headers: { authorization: `Bearer ${tokens.employee}` } })).json();
  tokens.client = await token(client.email);
  tokens.iso = await token(samples.iso);
  const spv = await (await fetch(`${base}/rest/v1/spvs/${samples.spvs}`, { headers: { authorization: `Bearer ${tokens.employee}` } })).json();
  samples.steps = spv.steps?.[0]?.id;
  measured.push(await measure(tokens, samples));
  for (const { q, alone, p99 } of await crowd(tokens.employee, samples)) {
    console.log(`search "${q}" among ${size} orders: p99 ${alone.toFixed(1)} ms alone, ${p99.toFixed(1)} ms with ${SEARCHES} at once`);
  }
  server.kill("SIGTERM");
  await wait(1500);
}
const [few, many] = [measured[0], measured.at(-1)];
const slow = [...many].filter(([request, ms]) => ms > MAX_MS || (ms > MIN_MS && ms / few.get(request) > MAX_GROWTH));
for (const [request, ms] of slow.sort((a, b) => b[1] - a[1])) {
  console.log(`${request}: ${ms.toFixed(1)} ms, ${few.get(request)?.toFixed(1) ?? "–"} ms with ${sizes[0]} orders`);
}
console.log(`${many.size} requests; ${slow.length} above ${MAX_MS} ms or grown by more than ${MAX_GROWTH} times`);
process.exit(slow.length ? 1 : 0);
