/** A move of a row between states of one column. `from` is empty for a move that inserts the row. */
export interface Move<State extends string> {
  readonly from: readonly State[]
  readonly to: State
}

interface MachineDeclaration<State extends string, Name extends string> {
  table: string
  column: string
  states: readonly State[]
  moves: Readonly<Record<Name, Move<State>>>
}

/** The states of a column, the moves between them, and the SQL that makes a move. */
export interface Machine<State extends string, Name extends string> extends MachineDeclaration<State, Name> {
  /** Tells whether a row in this state can make the move. */
  canMove(name: Name, state: State): boolean
  /** The SQL of the state that the move leads to, with its quotes. */
  target(name: Name): string
  /** The SQL of an update that makes the move, such as `status = 'published'`. */
  set(name: Name): string
  /**
   * The SQL of an update that makes the move where the condition holds. Elsewhere the row makes the other move, or stays
   * as it is.
   */
  setWhen(condition: string, name: Name, otherwise?: Name): string
  /** The SQL of an update that makes the move where the row can make it. */
  setWherePossible(name: Name): string
  /** The SQL of the condition that a row can make the move. */
  isPossible(name: Name): string
}

/**
 * Declares the states and moves of a column. Stores write the column with the SQL of its moves only; a house test finds
 * statements that write it in another way.
 */
export function declareMachine<State extends string, Name extends string>(
  declaration: MachineDeclaration<State, Name>,
): Machine<State, Name> {
  const { column, moves } = declaration
  const target = (name: Name) => `'${moves[name].to}'`
  const isPossible = (name: Name) => `${column} in (${moves[name].from.map((state) => `'${state}'`).join(', ')})`
  const setWhen = (condition: string, name: Name, otherwise?: Name) =>
    `${column} = case when ${condition} then ${target(name)} else ${
      otherwise === undefined ? column : target(otherwise)
    } end`
  return {
    ...declaration,
    canMove: (name, state) => moves[name].from.includes(state),
    target,
    set: (name) => `${column} = ${target(name)}`,
    setWhen,
    setWherePossible: (name) => setWhen(isPossible(name), name),
    isPossible,
  }
}
