/** Questions of one statement, and at most so many statements on the way. */
const most = 32
const atOnce = 2

interface Asked<Question, Answer> { question: Question; resolve: (answer: Answer) => void; reject: (cause: unknown) => void }

/**
 * Puts single questions together: those that come in the same turn of the event loop, or while earlier ones are on
 * their way, go out as one statement. Who asks alone waits for nobody. When a statement fails, all that it asked for
 * fails: each question has to be one that can be asked by itself.
 * @param ask answers in the order of the questions
 */
export function gathered<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: Asked<Question, Answer>[] = []
  let onTheWay = 0
  let due = false

  async function send(asked: readonly Asked<Question, Answer>[]): Promise<void> {
    onTheWay++
    try {
      const answers = await ask(asked.map(({ question }) => question))
      if (answers.length !== asked.length) throw new Error(`${asked.length} questions got ${answers.length} answers`)
      asked.forEach(({ resolve }, at) => resolve(answers[at] as Answer))
    } catch (cause) {
      for (const { reject } of asked) reject(cause)
    } finally {
      onTheWay--
      flush()
    }
  }

  function flush(): void {
    due = false
    while (waiting.length > 0 && onTheWay < atOnce) {
      const asked = waiting.slice(0, most)
      waiting = waiting.slice(most)
      void send(asked)
    }
  }

  return (question) => new Promise((resolve, reject) => {
    waiting.push({ question, resolve, reject })
    if (due || onTheWay >= atOnce) return
    due = true
    setImmediate(flush)
  })
}
