import { words, type Language } from '../../languages/index.ts'

/** The heading and the text of a problem page. */
interface ProblemWords {
  heading: string
  message: string
}

/** Finds the words of a language for a status, or returns null if the problem's own English words are used. */
export function findProblemWords(status: number, language: Language): ProblemWords | null {
  const { pages } = words[language].problems
  if (pages === null) return null
  const known: Readonly<Record<number, ProblemWords>> = pages
  return known[status] ?? pages[status < 500 ? 400 : 500]
}
