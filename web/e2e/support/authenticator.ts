/** TOTP authenticator of a user account. */
import type { Api } from './api';
import { totp } from './totp';

const STEP_MS = 30_000;

export class Authenticator {
  private last = 0;

  constructor(private readonly secret: string) {}

  /** Enrols an authenticator for the user of `api`; the returned API is at aal2. */
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

  /** An unused code. The next time step is accepted too, which avoids most waiting. */
  async code(): Promise<string> {
    const now = () => Math.floor(Date.now() / STEP_MS);
    const step = Math.max(this.last + 1, now());
    while (step > now() + 1) await new Promise((resolve) => setTimeout(resolve, 500));
    this.last = step;
    return totp(this.secret, step * STEP_MS);
  }
}
