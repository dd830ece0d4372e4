import { codes, type Code } from '../kernel/codes.ts'
import { problem, type Violation } from '../kernel/problem.ts'

/** The most violations that one answer lists. */
const most = 100

/** What is wrong with a request, gathered from its path, its query and its body, so that all of it is told at once. */
export class Faults {
  readonly #found: { code: Code; violation: Violation }[] = []
  readonly #only400: boolean

  /** @param only400 whether what would be 422 is 400 here */
  constructor(only400 = false) {
    this.#only400 = only400
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  add(code: Code, violation: Violation): void {
    if (this.#found.length >= most) return
    this.#found.push({ code: this.#only400 && codes[code].status === 422 ? 'INVALID_REQUEST' : code, violation })
  }

  /** @throws the problem of all that was found: with the code of the first 400 where there is one, else of the first */
  refuse(): void {
    const found = this.#found
    const decisive = found.find(({ code }) => codes[code].status === 400) ?? found[0]
    if (!decisive) return
    const {
      code,
      violation: { path, message },
    } = decisive
    throw problem(code, `${path} ${message}.`, { errors: found.map(({ violation }) => violation) })
  }
}
