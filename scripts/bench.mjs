// Measures the release binary on one seeded database of each kind, beside a bare server that answers as many bytes
// in the same run. Several short passes in turn; medians. The load generator (wrk) is a process of its own.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release");
const work = join(root, "target/bench");
const orders = process.env.BENCH_ORDERS ?? "20000";
const passes = Number(process.env.BENCH_PASSES ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const only = (process.env.BENCH_ONLY ?? "").split(",").filter(Boolean);
const password = "portal-demo-2026";
const say = (text) => process.stderr.write(`${text}\n`);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Seconds of processor time a process has used. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryMb(pid, what) {
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
}

const answers = (address) => fetch(address).then((answer) => answer.ok, () => false);

/** A server that a killed run left behind would answer in place of the one that is about to start. */
async function nobodyAt(address) {
  if (await answers(address)) throw new Error(`${address} answers already: stop what is there, perhaps of a run that was killed`);
}

async function started(process, address) {
  for (let i = 0; i < 400; i += 1) {
    if (await answers(address)) return process;
    await wait(25);
  }
  throw new Error(`${address} does not answer`);
}

/** Sessions of clients, as their refresh tokens: more than there are connections, so that none is used by two at once. */
async function refreshTokens(base, clients) {
  const tokens = [];
  // This process reads nothing while wrk runs: let it notice connections that the server has closed.
  await wait(100);
  for (const client of clients) {
    const answer = await fetch(`${base}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: client.email, password }),
    });
    if (!answer.ok) throw new Error(`${client.email}: ${await answer.text()}`);
    tokens.push((await answer.json()).refresh_token);
  }
  return tokens;
}

/** Refreshes in passes; each answer's token is the next question's, so a pass begins with sessions of its own. */
async function measureRefreshes(product, clients) {
  const passed = [];
  for (let i = 0; i < passes; i += 1) {
    const tokens = await refreshTokens(product.base, clients);
    passed.push(wrk(product.base, { paths: ["/auth/v1/token?grant_type=refresh_token"], method: "POST", connections: 16, tokens }, product.pid));
  }
  const row = { name: "refresh a session, durable", errors: passed.reduce((sum, run) => sum + run.errors, 0) };
  for (const figure of ["perSecond", "p50", "p99", "cpuUs"]) row[figure] = median(passed.map((run) => run[figure]));
  say(`  ${row.name}: ${Math.round(row.perSecond)}/s, p50 ${row.p50.toFixed(1)} ms, p99 ${row.p99.toFixed(1)} ms${row.errors ? `, ${row.errors} ERRORS` : ""}`);
  return row;
}

let runs = 0;
function wrkCommand(base, load) {
  runs += 1;
  const paths = join(work, `paths-${runs}`);
  writeFileSync(paths, load.paths.join("\n"));
  const env = { ...process.env, PATHS: paths, METHOD: load.method ?? "GET", START: String(runs * 7919) };
  if (load.token) env.TOKEN = load.token;
  if (load.tokens) {
    env.TOKENS = join(work, `tokens-${runs}`);
    writeFileSync(env.TOKENS, load.tokens.join("\n"), { mode: 0o600 });
  }
  if (load.bodies) {
    env.BODIES = join(work, `bodies-${runs}`);
    writeFileSync(env.BODIES, load.bodies.join("\n"));
  }
  const args = ["-t1", `-c${load.connections ?? 32}`, `-d${load.seconds ?? seconds}s`, "--timeout", "10s", "-s", join(root, "scripts/bench.lua"), base];
  return ["wrk", args, { env, encoding: "utf8" }];
}

function figures(output) {
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output);
  if (!found) throw new Error(`wrk said: ${output}`);
  const [requests, us, p50, p99, errors] = found.slice(1).map(Number);
  return { requests, perSecond: (requests * 1e6) / us, p50: p50 / 1000, p99: p99 / 1000, errors };
}

function wrk(base, load, pid) {
  const before = cpuSeconds(pid);
  const run = spawnSync(...wrkCommand(base, load));
  const result = figures(run.stdout + run.stderr);
  return { ...result, cpuUs: ((cpuSeconds(pid) - before) * 1e6) / result.requests };
}

/** Password checks a second on all cores without anything around them: on the portal's pool, and by the library alone. */
function hashes(load) {
  const said = execFileSync(join(target, "examples/bench_passwords"), [String(load.seconds)], { encoding: "utf8" });
  const [perSecond, library] = said.trim().split(" ").map(Number);
  say(`  password checks a second on ${cpus().length} cores: ${perSecond.toFixed(1)} on our pool, ${library.toFixed(1)} by the library alone`);
  return { perSecond, library };
}

/** Alternating passes of the portal and of the bare server, or another baseline. */
function measure(name, product, load, fixed, bytes, fixedMethod, alone) {
  const ours = [];
  const bare = [];
  for (let i = 0; i < passes; i += 1) {
    ours.push(wrk(product.base, load, product.pid));
    if (alone) bare.push(alone(load));
    if (fixed) bare.push(wrk(fixed.base, { paths: [`/bytes/${bytes}`], method: fixedMethod ?? "GET", connections: load.connections, bodies: load.bodies && ["{}"] }, fixed.pid));
  }
  const errors = ours.reduce((sum, run) => sum + run.errors, 0);
  const row = {
    name,
    bytes,
    perSecond: median(ours.map((run) => run.perSecond)),
    p50: median(ours.map((run) => run.p50)),
    p99: median(ours.map((run) => run.p99)),
    cpuUs: median(ours.map((run) => run.cpuUs)),
    errors,
  };
  if (bare.length) {
    row.fixed = median(bare.map((run) => run.perSecond));
    row.ratio = row.perSecond / row.fixed;
    if (alone) row.library = median(bare.map((run) => run.library));
  }
  say(`  ${name}: ${Math.round(row.perSecond)}/s, ratio ${row.ratio?.toFixed(3) ?? "–"}, p50 ${row.p50.toFixed(1)} ms, p99 ${row.p99.toFixed(1)} ms${errors ? `, ${errors} ERRORS` : ""}`);
  return row;
}

async function office(database) {
  const dir = join(work, database);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const port = database === "sqlite" ? 18511 : 18512;
  const base = `http://127.0.0.1:${port}`;
  const env = { ...process.env, SPV_DATA_DIR: dir, SPV_LISTEN: `127.0.0.1:${port}`, SPV_LOG: "info", SPV_DEMO_PASSWORD: password,
    SPV_AUTH_REQUIRE_MFA: "none", SPV_AUTH_RATE_LIMITS: "false" };
  let [settle, stop] = [() => {}, () => {}];
  if (database === "postgres") {
    const postgres = join("/var/tmp", `spv-bench-${process.pid}`);
    const { username, port, pathname } = new URL(execFileSync(join(root, "scripts/postgres.sh"), ["start", postgres], { encoding: "utf8" }).trim());
    // By its socket, as docs/operate.md says for one machine.
    env.SPV_DATABASE_URL = `postgres://${username}@${encodeURIComponent(postgres)}:${port}${pathname}`;
    // Autovacuum after the seed takes CPU time that must not be counted.
    settle = () => execFileSync(join(root, "scripts/postgres.sh"), ["vacuum", postgres]);
    stop = () => execFileSync(join(root, "scripts/postgres.sh"), ["stop", postgres]);
  }
  const spvctl = (args, input, more) => execFileSync(join(target, "spvctl"), args, { env: { ...env, ...more }, input, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] });
  spvctl(["migrate"]);
  const seeding = Date.now();
  spvctl(["seed", "--spvs", orders]);
  say(`${database}: ${orders} orders seeded in ${((Date.now() - seeding) / 1000).toFixed(0)} s`);
  settle();
  const company = JSON.parse(spvctl(["company", "list", "--format", "json"])).items[0];
  for (const [role, extra] of [["employee", []], ["super_admin", []], ["company_admin", ["--company", company.id]]]) {
    spvctl(["user", "create", "--role", role, "--first-name", "Bench", "--last-name", role, "--email", `${role}@bench.example`, "--password-stdin", ...extra], password);
  }
  await nobodyAt(`${base}/readyz`);
  const starting = performance.now();
  const log = join(dir, "log");
  const server = spawn("sh", ["-c", `exec "${join(target, "spvctl")}" serve >"${log}" 2>&1`], { env });
  process.on("exit", () => server.kill("SIGKILL"));
  await started(server, `${base}/readyz`);
  const startMs = performance.now() - starting;
  await wait(1500);
  return { database, base, pid: server.pid, startMs, idleMb: memoryMb(server.pid, "VmRSS"), company, spvctl, settle, stop: () => (server.kill("SIGTERM"), wait(1500).then(stop)) };
}

/**
 * Linux shares the processor between sessions before it applies priorities within one, and a database server is a session
 * of its own: docs/operate.md says to switch that off if both run on one machine.
 */
function yieldAcrossSessions() {
  const setting = "/proc/sys/kernel/sched_autogroup_enabled";
  if (!existsSync(setting) || readFileSync(setting, "utf8").trim() === "0") return;
  try {
    writeFileSync(setting, "0");
    process.on("exit", () => writeFileSync(setting, "1"));
  } catch {
    say("sched_autogroup_enabled is on and can be switched off by root alone: reads on PostgreSQL wait for sign-ins.");
  }
}

async function token(base, email) {
  const answer = await fetch(`${base}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${email}: ${JSON.stringify(body)}`);
  // A first password set by the operator must be changed before anything else.
  await fetch(`${base}/auth/v1/user`, {
    method: "PUT",
    headers: { authorization: `Bearer ${body.access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ password: `${password}-changed` }),
  });
  return body.access_token;
}

/** 2,000 open event streams, of 1,900 clients and of staff, while one order a second changes. */
async function measureStreams(product, employee, clients, steps) {
  const signedIn = [];
  await wait(100);
  // Sixteen at a time, as the server hashes as many passwords as it has cores.
  const rest = [...clients];
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let client = rest.pop(); client; client = rest.pop()) {
      const answer = await fetch(`${product.base}/auth/v1/token?grant_type=password`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: client.email, password }),
      });
      if (!answer.ok) throw new Error(`${client.email}: ${await answer.text()}`);
      signedIn.push({ id: client.id, token: (await answer.json()).access_token });
    }
  }));
  const ids = new Set(signedIn.map((client) => client.id));
  const input = { base: product.base, employee, employeeStreams: 100, clients: signedIn, steps: steps.filter((step) => ids.has(step.client)).slice(0, 10), seconds: 20 };
  if (!input.steps.length) throw new Error("none of the clients with a stream has an open order");
  // An unchanged step sends no event, and each order is started first.
  for (const { id } of input.steps) {
    const answer = await fetch(`${product.base}/rest/v1/steps/${id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${employee}`, "if-match": "*", "content-type": "application/json" },
      body: '{"status":"pending"}',
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const before = cpuSeconds(product.pid);
  const listening = spawnSync(process.execPath, [join(root, "scripts/streams.mjs")], { input: JSON.stringify(input), encoding: "utf8" });
  if (listening.status !== 0) throw new Error(listening.stderr);
  const found = { ...JSON.parse(listening.stdout), cpuSeconds: cpuSeconds(product.pid) - before, memoryMb: memoryMb(product.pid, "VmRSS") };
  say(`  W7: ${found.ready} streams; of ${found.heard + found.missing} to be heard ${found.missing} within 1 s not, ${found.strangers} by strangers; median ${found.median?.toFixed(0)} ms, worst ${found.worst?.toFixed(0)} ms`);
  return found;
}

/** Dashboards of companies with forty partners, and of single partners, as these grow tenfold twice. */
async function measureGrowth(product) {
  const { base, spvctl, settle } = product;
  const listed = (noun) => JSON.parse(spvctl([noun, "list", "--limit", "500", "--format", "json"])).items;
  const sizes = [400, 4_000, 40_000];
  const rows = [];
  for (const size of sizes) {
    const seeded = (spvs, isos) => {
      const before = new Set(listed("company").map(({ id }) => id));
      // Into a portal in use, which is for measuring only.
      spvctl(["seed", "--spvs", String(spvs), "--companies", "1", "--isos", String(isos)], undefined, { SPV_DEMO: "true" });
      return listed("company").find(({ id }) => !before.has(id));
    };
    const company = seeded(size, 40);
    // Every fifth order came without a partner.
    const partner = JSON.parse(spvctl(["iso", "list", "--company", seeded((size * 5) / 4, 1).id, "--format", "json"])).items[0];
    const email = `growth-${size}@bench.example`;
    spvctl(["user", "create", "--role", "company_admin", "--first-name", "Bench", "--last-name", "Growth", "--email", email, "--password-stdin", "--company", company.id], password);
    settle();
    // This process read nothing meanwhile: let it notice connections that the server has closed.
    await wait(100);
    const admin = await token(base, email);
    const bearerOfPartner = await token(base, partner.email);
    const looks = [
      [`company dashboard, first 50 of ${size.toLocaleString("en-US")} orders`, "/rest/v1/dashboards/company?limit=50", admin],
      [`company dashboard as its page asks for it, ${size.toLocaleString("en-US")} orders`, "/rest/v1/dashboards/company?limit=0", admin],
      [`ISO dashboard, ${size.toLocaleString("en-US")} orders`, "/rest/v1/dashboards/iso", bearerOfPartner],
      [`commissions of this year, ${size.toLocaleString("en-US")} orders`, "/rest/v1/commissions/overview?period=this_year", bearerOfPartner],
      [`finances of this year, ${size.toLocaleString("en-US")} orders`, "/rest/v1/finances", admin],
    ];
    for (const [what, path, bearer] of looks) {
      const answer = await fetch(base + path, { headers: { authorization: `Bearer ${bearer}`, "accept-encoding": "identity" } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${text}`);
      rows.push(measure(`W8 ${what}`, product, { paths: [path], token: bearer, connections: 4 }, undefined, text.length));
    }
  }
  const kinds = rows.length / sizes.length;
  // Dashboards read no more of many orders than of few. Finances have a sum for each month, partner, country and currency
  // with orders, which fill up. Commissions are summed over the orders themselves: they only grow slower than these.
  const most = (name) => (name.includes("dashboard") ? 2 : name.includes("finances") ? 5 : 10);
  const growth = rows.slice(kinds).map((row, n) => ({ name: row.name, times: row.cpuUs / rows[n].cpuUs, most: most(row.name) }));
  for (const { name, times } of growth) say(`  ${name}: ${times.toFixed(1)} times the processor time of a tenth of the orders`);
  return { rows, growth };
}

async function benched(database, fixed) {
  const product = await office(database);
  const { base } = product;
  const employee = await token(base, "employee@bench.example");
  const admin = await token(base, "company_admin@bench.example");
  const get = async (path, bearer) => {
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${bearer}`, "accept-encoding": "identity" } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return { bytes: text.length, body: JSON.parse(text) };
  };
  const spvs = [];
  for (let cursor = ""; spvs.length < 2000; ) {
    const page = (await get(`/rest/v1/spvs?limit=500${cursor && `&cursor=${cursor}`}`, employee)).body;
    spvs.push(...page.items);
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  const people = [];
  for (let cursor = ""; people.length < 1900; ) {
    const page = (await get(`/rest/v1/clients?limit=500${cursor && `&cursor=${cursor}`}`, employee)).body;
    people.push(...page.items);
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  const clients = people.slice(0, 500);
  const open = spvs.filter((spv) => ["active", "processing"].includes(spv.status)).slice(0, 400);
  const steps = [];
  const owned = [];
  for (const spv of open) {
    const step = (await get(`/rest/v1/spvs/${spv.id}`, employee)).body.steps.at(-1).id;
    steps.push(step);
    owned.push({ id: step, client: spv.client_id });
  }
  const size = async (path, bearer) => (await get(path, bearer)).bytes;
  const patched = await fetch(`${base}/rest/v1/steps/${steps[0]}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${employee}`, "if-match": "*", "content-type": "application/json" },
    body: '{"text_data":"first"}',
  });
  const loads = {
    W2: ["one order with its 8 steps", { paths: spvs.map((spv) => `/rest/v1/spvs/${spv.id}`), token: employee }, await size(`/rest/v1/spvs/${spvs[0].id}`, employee)],
    W3: ["newest 50 orders with names", { paths: ["/rest/v1/spvs?limit=50"], token: employee }, await size("/rest/v1/spvs?limit=50", employee)],
    "W4 page": ["company dashboard, first 50 of 400", { paths: ["/rest/v1/dashboards/company?limit=50"], token: admin }, await size("/rest/v1/dashboards/company?limit=50", admin)],
    "W4 all": ["company dashboard, all 400", { paths: ["/rest/v1/dashboards/company?limit=400"], token: admin }, await size("/rest/v1/dashboards/company?limit=400", admin)],
    W5: ["update one step, durable", { paths: steps.map((id) => `/rest/v1/steps/${id}`), method: "PATCH", bodies: ["in_progress", "pending"].flatMap((status) => Array(steps.length).fill(JSON.stringify({ status }))), token: employee }, (await patched.text()).length, "PATCH"],
    W6: ["employee counters", { paths: ["/rest/v1/dashboards/employee"], token: employee }, await size("/rest/v1/dashboards/employee", employee)],
  };
  const rows = [];
  for (const [id, [what, load, bytes, method]] of Object.entries(loads)) {
    if (only.length && !only.includes(id)) continue;
    rows.push(measure(`${id} ${what}`, product, load, fixed, bytes, method));
  }
  const peakMb = memoryMb(product.pid, "VmHWM");
  // One takes a seventh of a second, and those under way when a pass ends are not counted: longer passes lose less.
  const signIn = {
    seconds: 3 * seconds,
    paths: ["/auth/v1/token?grant_type=password"],
    method: "POST",
    bodies: clients.map((client) => JSON.stringify({ email: client.email, password })),
    connections: 16,
  };
  if (!only.length || only.includes("refresh")) rows.unshift(await measureRefreshes(product, clients.slice(0, 48)));
  let crowded;
  if (!only.length || only.includes("W1")) {
    rows.unshift(measure("W1 sign in", product, signIn, undefined, 0, undefined, hashes));
    const read = { ...loads.W2[1], connections: 4, seconds: 6 };
    const quiet = figures(spawnSync(...wrkCommand(base, read)).stdout);
    const [command, args, options] = wrkCommand(base, { ...signIn, seconds: 9 });
    const crowd = spawn(command, args, options);
    await wait(1500);
    crowded = { quiet: quiet.p99, busy: figures(spawnSync(...wrkCommand(base, read)).stdout).p99 };
    await new Promise((done) => crowd.on("exit", done));
    say(`  p99 of an order read: ${crowded.quiet.toFixed(1)} ms quiet, ${crowded.busy.toFixed(1)} ms while sign-ins saturate`);
  }
  const streams = !only.length || only.includes("W7") ? await measureStreams(product, employee, people.slice(0, 1900), owned) : undefined;
  // Last, as it fills the database further.
  const grown = !only.length || only.includes("W8") ? await measureGrowth(product) : undefined;
  rows.push(...(grown?.rows ?? []));
  await product.stop();
  return { ...product, rows, crowded, peakMb, streams, growth: grown?.growth };
}

const round = (value, digits) => (value === undefined ? "–" : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));

mkdirSync(work, { recursive: true });
yieldAcrossSessions();
await nobodyAt("http://127.0.0.1:18510/bytes/1");
const fixedServer = spawn(join(target, "examples/fixed"), ["127.0.0.1:18510"], { stdio: "ignore" });
const fixed = { base: "http://127.0.0.1:18510", pid: fixedServer.pid };
try {
  await started(fixedServer, `${fixed.base}/bytes/1`);
  const results = [];
  for (const database of (process.env.BENCH_DATABASES ?? "sqlite,postgres").split(",")) results.push(await benched(database, fixed));
  const date = new Date().toISOString().slice(0, 10);
  console.log(`\n${date}, ${cpus().length} × ${cpus()[0].model}, ${orders} orders, median of ${passes} passes of ${seconds} s\n`);
  for (const result of results) {
    console.log(`${result.database === "sqlite" ? "SQLite (synchronous=FULL)" : "PostgreSQL"}\n`);
    console.log("| workload | bytes | requests/s | bare server/s | ratio | p50 ms | p99 ms | CPU µs/request |\n|---|---:|---:|---:|---:|---:|---:|---:|");
    for (const row of result.rows) {
      console.log(`| ${row.name} | ${row.bytes || "–"} | ${round(row.perSecond, 0)} | ${round(row.fixed, 0)} | ${round(row.ratio, 3)} | ${round(row.p50, 1)} | ${round(row.p99, 1)} | ${round(row.cpuUs, 0)} |`);
    }
    const signIn = result.rows.find((row) => row.library);
    if (signIn) console.log(`\nW1 beside the library's own check in a thread for each core: ${round(signIn.library, 0)}/s, ratio ${round(signIn.perSecond / signIn.library, 3)}.`);
    if (result.crowded) console.log(`\nOrder read while sign-ins saturate: p99 ${round(result.crowded.busy, 1)} ms, quiet ${round(result.crowded.quiet, 1)} ms.`);
    if (result.streams) {
      const { streams: w7 } = result;
      console.log(`\nW7 ${w7.ready} open event streams, one order changed a second: ${w7.heard} of ${w7.heard + w7.missing} heard of it within 1 s, median ${round(w7.median, 0)} ms, worst ${round(w7.worst, 0)} ms; ${w7.strangers} heard of what is not theirs; ${round(w7.cpuSeconds, 1)} s of processor time in ${w7.updates + Math.round(w7.opened / 1000)} s, ${w7.memoryMb} MB.`);
    }
    if (result.growth) console.log(`\nW8, processor time of ten times the orders: ${result.growth.map(({ name, times }) => `${name.slice(3)} ${round(times, 1)} ×`).join("; ")}.`);
    console.log(`Start to ready ${round(result.startMs, 0)} ms; memory ${result.idleMb} MB idle, ${result.peakMb} MB at most in W2–W6.\n`);
  }
  const deaf = results.filter(({ streams }) => streams && (streams.missing || streams.strangers || streams.broken || streams.ready < streams.streams));
  if (deaf.length) process.exitCode = 1;
  // The answer stays one page: its cost must grow slower than the rows behind it.
  if (results.some(({ growth }) => growth?.some(({ times, most }) => times >= most))) process.exitCode = 1;
  const failed = results.flatMap((result) => result.rows).filter((row) => row.errors > 0);
  if (failed.length) {
    console.log(`Errors in: ${failed.map((row) => row.name).join(", ")}`);
    process.exitCode = 1;
  }
} finally {
  fixedServer.kill();
}
