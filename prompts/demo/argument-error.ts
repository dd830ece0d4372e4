/** An argument of a prompt is not valid. The message begins with the name of the argument. */
export class PromptArgumentError extends Error {
  override name = 'PromptArgumentError'
  readonly argument: string

  constructor(argument: string, message: string) {
    super(`${argument} ${message}`)
    this.argument = argument
  }
}
