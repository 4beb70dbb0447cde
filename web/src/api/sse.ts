export interface ServerEvent {
  event: string;
  data: string;
  id?: string;
}

/** Two missed heartbeats (15 s each) and some slack. */
export const HEARTBEAT_TIMEOUT_MS = 40_000;

/** Parses a `text/event-stream` body. Comments (heartbeats) are dropped; silence is an error. */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
  silence = HEARTBEAT_TIMEOUT_MS,
): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await withTimeout(silence, reader.read());
      if (done) return;
      text = (text + value).replaceAll('\r\n', '\n');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function withTimeout<T>(milliseconds: number, coming: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}

function parseEvent(block: string): ServerEvent | null {
  const event: ServerEvent = { event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event.event = value;
    else if (field === 'id') event.id = value;
  }
  if (data.length === 0) return null;
  event.data = data.join('\n');
  return event;
}
