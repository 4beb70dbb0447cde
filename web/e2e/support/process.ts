/** Child processes of tests, ended by their own handle. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';

export interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to completion. */
export async function run(
  command: string,
  args: string[],
  { env = process.env, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<ProcessResult> {
  const child = spawn(command, args, { env, stdio: 'pipe' });
  const outcome = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (outcome.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (outcome.stderr += data.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...outcome };
}

/** Sends SIGTERM, and SIGKILL after `timeout` milliseconds; returns whether it exited in time. */
export async function stop(child: ChildProcess, timeout = 10_000): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), timeout);
  await gone;
  clearTimeout(force);
  return child.signalCode !== 'SIGKILL';
}

/** A free TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

/** Polls until the condition holds. */
export async function waitUntil(
  condition: () => Promise<boolean>,
  what: string,
  timeout = 10_000,
): Promise<void> {
  const end = Date.now() + timeout;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Waited for this in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
