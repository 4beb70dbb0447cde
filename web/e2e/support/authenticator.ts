/** The app on somebody's phone, and how it came to know the key. */
import type { Api } from './api';
import { totp } from './totp';

const STEP_MS = 30_000;

export class Authenticator {
  private last = 0;

  constructor(private readonly secret: string) {}

  /** Adds an app to the account of whoever is signed in at the API, whose session is at aal2 afterwards. */
  static async enrol(api: Api, friendly_name = 'Phone'): Promise<{ app: Authenticator; api: Api }> {
    const { id, totp: key } = await api.post<{ id: string; totp: { secret: string } }>('/auth/v1/factors', {
      factor_type: 'totp',
      friendly_name,
    });
    const app = new Authenticator(key.secret);
    const challenge = await api.post<{ id: string }>(`/auth/v1/factors/${id}/challenge`);
    const elevated = await api.asSession(`/auth/v1/factors/${id}/verify`, {
      challenge_id: challenge.id,
      code: await app.code(),
    });
    return { app, api: elevated };
  }

  /** A code that was not used yet: the next one is taken too, so that hardly anybody has to wait. */
  async code(): Promise<string> {
    const now = () => Math.floor(Date.now() / STEP_MS);
    const step = Math.max(this.last + 1, now());
    while (step > now() + 1) await new Promise((resolve) => setTimeout(resolve, 500));
    this.last = step;
    return totp(this.secret, step * STEP_MS);
  }
}
