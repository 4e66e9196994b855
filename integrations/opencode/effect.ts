/** A check that the provider got what a decision says, by the tokens that it reports. */

/** A request: its size as a decision counted it, and as the provider reported it. */
export type Sizes = { whole: number; sent: number; reported: number };

/** Largest ratio of both growths, of what was to be sent and of the whole session, that says anything. */
const LARGEST_RATIO = 0.9;

/**
 * Compares requests, one after the other. If a decision takes out more than the one before, the reported size has to follow what
 * was to be sent, not the whole session. Growths are compared, as providers count by their own tokenizers.
 */
export class EffectCheck {
  private before: Sizes | undefined;

  /** Tells if the edits of a request had an effect; `undefined` if its sizes do not say. */
  hasEffect(request: Sizes): boolean | undefined {
    const before = this.before;
    this.before = request.reported > 0 ? request : undefined;
    if (!before || !this.before) return undefined;
    const [sent, whole] = [request.sent / before.sent, request.whole / before.whole];
    if (sent > LARGEST_RATIO * whole) return undefined;
    const reported = Math.log(request.reported / before.reported);
    return Math.abs(reported - Math.log(sent)) < Math.abs(reported - Math.log(whole));
  }
}

/** Tokens of a reply's prompt, cached ones included; 0 if none are reported. */
export function promptTokens(reply: any): number {
  const { input = 0, cache = {} } = reply?.info.tokens ?? {};
  return input + (cache.read ?? 0) + (cache.write ?? 0);
}
