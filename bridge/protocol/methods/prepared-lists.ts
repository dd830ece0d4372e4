/** A cache of values that are prepared once from an immutable source and kept as long as the source exists. */
export class PreparedLists<Prepared> {
  readonly #preparedBySource = new WeakMap<object, Map<string, Prepared>>()
  readonly #prepareList: (list: object) => Prepared

  constructor(prepareList: (list: object) => Prepared) {
    this.#prepareList = prepareList
  }

  /** Returns the prepared list. @param source the immutable source @param name the name of the list in the source */
  get(source: object, name: string, list: () => object): Prepared {
    let preparedByName = this.#preparedBySource.get(source)
    if (!preparedByName) this.#preparedBySource.set(source, (preparedByName = new Map<string, Prepared>()))
    let prepared = preparedByName.get(name)
    if (prepared === undefined) preparedByName.set(name, (prepared = this.#prepareList(list())))
    return prepared
  }
}
