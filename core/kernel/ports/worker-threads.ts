/** Threads that work on untrusted bytes. Owners take turns. */
export interface WorkerThreads {
  /**
   * Runs a task in a thread. @throws RATE_LIMITED, OverloadedError if there is no capacity or the task takes too long,
   * or what the task throws
   */
  runTask(task: string, bytes: Buffer, owner: string): Promise<unknown>
}
