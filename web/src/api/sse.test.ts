import { expect, test, vi } from 'vitest';
import { parseEventStream } from './sse';

function bodyOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return new Blob(chunks).stream();
}

async function read(...chunks: string[]) {
  const events = [];
  for await (const event of parseEventStream(bodyOf(...chunks))) events.push(event);
  return events;
}

test('event split over two chunks is one event', async () => {
  expect(await read('event: change\nid: 7\nda', 'ta: {"a":1}\n\n')).toEqual([
    { event: 'change', id: '7', data: '{"a":1}' },
  ]);
});

test('heartbeat comments are ignored', async () => {
  expect(await read(': still here\n\n', 'data: x\n\n')).toEqual([{ event: 'message', data: 'x' }]);
});

test('data lines are joined and an unfinished event is dropped', async () => {
  expect(await read('data: a\r\ndata: b\r\n\r\ndata: c')).toEqual([{ event: 'message', data: 'a\nb' }]);
});

test('silent stream times out, and heartbeats keep it open', async () => {
  let left = false;
  let line!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (line = controller),
    cancel: () => void (left = true),
  });
  const says = (text: string) => line.enqueue(new TextEncoder().encode(text));
  const events = parseEventStream(body, 200);
  const first = events.next();
  setTimeout(() => says(':\n\n'), 120);
  setTimeout(() => says('data: x\n\n'), 240);
  expect((await first).value).toEqual({ event: 'message', data: 'x' });
  await expect(events.next()).rejects.toThrow('nothing came');
  await vi.waitFor(() => expect(left).toBe(true));
});
