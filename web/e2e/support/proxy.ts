/** Reverse proxy in front of a portal with configurable failures, as nginx has by default. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its own response; `undefined` passes the request on. */
type Answer = { status: number; type?: string; body?: string } | undefined;

const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

export class Proxy {
  /** Paths of requests outside `path`, which belong to other sites of the host. */
  readonly outside: string[] = [];
  /** Strips `path` from requests that it passes on. */
  strips = false;
  /** Sizes of all request bodies passed on to an upload. */
  readonly uploadChunkSizes: number[] = [];
  /** Called before a request is passed on. */
  answers: (request: IncomingMessage) => Answer = () => undefined;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly url: string,
    /** Path below which the portal is served: empty, or like `/portal`. */
    private readonly path: string,
  ) {}

  static async start(portal: string, path = ''): Promise<Proxy> {
    const server = createServer((incoming, response) => proxy.take(incoming, response, portal));
    await new Promise<void>((listens) => void server.listen(0, '127.0.0.1', listens));
    const proxy = new Proxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, path);
    return proxy;
  }

  /** Rejects larger bodies, like `client_max_body_size` of nginx. */
  rejectBodiesAbove(bytes: number, body = page('413 Request Entity Too Large')): void {
    this.answers = ({ headers }) =>
      Number(headers['content-length'] ?? 0) > bytes ? { status: 413, body } : undefined;
  }

  /** Answers API calls with an HTML page. */
  answerApiCalls(status: number, title: string, path = /^\/(rest|auth\/v1)\//): void {
    this.answers = ({ url = '' }) => (path.test(url) ? { status, body: page(title) } : undefined);
  }

  passThrough(): void {
    this.answers = () => undefined;
  }

  private take(incoming: IncomingMessage, response: ServerResponse, portal: string): void {
    const url = incoming.url ?? '/';
    const answer = this.isOutside(url) ? { status: 404 } : this.answers(incoming);
    if (answer) {
      // Reads the body first: closing the connection early would be another failure.
      incoming.resume().on('end', () => {
        response.writeHead(answer.status, { 'content-type': answer.type ?? 'text/html' }).end(answer.body);
      });
      return;
    }
    if (incoming.method === 'PATCH' && incoming.url?.startsWith('/storage/v1/uploads/'))
      this.uploadChunkSizes.push(Number(incoming.headers['content-length']));
    const { method, headers } = incoming;
    const target = this.strips ? url.slice(this.path.length).replace(/^(?!\/)/, '/') : url;
    const onward = request(new URL(target, portal), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  private isOutside(url: string): boolean {
    const { pathname } = new URL(url, this.url);
    const isOutside = pathname !== this.path && !pathname.startsWith(`${this.path}/`);
    if (isOutside) this.outside.push(pathname);
    return isOutside;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((ended) => void this.server.close(() => ended()));
  }
}
