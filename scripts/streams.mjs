// The listening side of bench.mjs: holds event streams open, changes one step a second, and prints as JSON when each
// stream received it. A process of its own, so that no other work delays it.
import { get } from "node:http";
import { readFileSync } from "node:fs";

const { base, employee, employeeStreams, clients, steps, seconds } = JSON.parse(readFileSync(0, "utf8"));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/** The change in flight: the step, its start, and the delay of each stream that received it. */
let asked;
let ready = 0;
let strangers = 0;
let broken = 0;

function listen(token, client) {
  const request = get(`${base}/realtime/v1/events`, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    if (answer.statusCode !== 200) broken += 1;
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (piece) => {
      text += piece;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        hear(text.slice(0, end), client);
        text = text.slice(end + 2);
      }
    });
    answer.on("end", () => (broken += 1));
  });
  request.on("error", () => (broken += 1));
}

function hear(event, client) {
  if (event.includes("event: ready")) ready += 1;
  if (!asked || !event.includes(asked.step.id)) return;
  if (client && client !== asked.step.client) strangers += 1;
  else asked.took.push(performance.now() - asked.since);
}

const opening = performance.now();
// As browsers connect: not all in the same instant.
for (const [n, { id, token }] of clients.entries()) {
  listen(token, id);
  if (n % 20 === 0) await wait(5);
}
for (let n = 0; n < employeeStreams; n += 1) listen(employee, undefined);
const streams = clients.length + employeeStreams;
for (let tries = 0; ready < streams && tries < 600; tries += 1) await wait(50);
const opened = performance.now() - opening;

const took = [];
let missing = 0;
for (let n = 0; n < seconds; n += 1) {
  const step = steps[n % steps.length];
  asked = { step, since: performance.now(), took: [] };
  const changed = await fetch(`${base}/rest/v1/steps/${step.id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${employee}`, "if-match": "*", "content-type": "application/json" },
    body: JSON.stringify({ status: n < steps.length ? "in_progress" : "pending" }),
  });
  if (!changed.ok) throw new Error(await changed.text());
  await wait(Math.max(0, 1000 - (performance.now() - asked.since)));
  took.push(...asked.took);
  missing += employeeStreams + 1 - asked.took.length;
}
took.sort((a, b) => a - b);
console.log(JSON.stringify({
  streams, ready, opened, updates: seconds, heard: took.length, missing, strangers, broken,
  median: took[Math.floor(took.length / 2)], p99: took[Math.floor(took.length * 0.99)], worst: took.at(-1),
}));
process.exit(0);
