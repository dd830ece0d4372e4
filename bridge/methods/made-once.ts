/** What is made once of something that never changes, and kept as long as that is. */
export class MadeOnce<Made> {
  readonly #made = new WeakMap<object, Map<string, Made>>()
  readonly #make: (list: object) => Made

  constructor(make: (list: object) => Made) {
    this.#make = make
  }

  /** @param of what it is made of, `name` what of it */
  get(of: object, name: string, list: () => object): Made {
    let made = this.#made.get(of)
    if (!made) this.#made.set(of, (made = new Map<string, Made>()))
    let one = made.get(name)
    if (one === undefined) made.set(name, (one = this.#make(list())))
    return one
  }
}
