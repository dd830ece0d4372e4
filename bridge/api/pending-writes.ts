/** The changes that were sent to the API. Each is finished, even if its client is gone meanwhile. */
export class PendingWrites {
  readonly #pending = new Set<Promise<unknown>>()

  /**
   * Begins a change and returns its outcome. If the signal is aborted meanwhile, the change goes on and only the caller
   * is free.
   * @param write begins the change; nothing may abort it
   * @throws the signal's reason
   */
  async run<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const rejectAborted = () => reject(signal.reason)
    signal.addEventListener('abort', rejectAborted, { once: true })
    const writing = write()
    this.#pending.add(writing)
    const forget = () => {
      this.#pending.delete(writing)
      signal.removeEventListener('abort', rejectAborted)
    }
    writing.then(forget, forget)
    return await Promise.race([writing, aborted])
  }

  /** Resolves when no change is in progress any more. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }
}
