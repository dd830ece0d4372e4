import type { TextAnswer } from '../answer.ts'

/** A problem that a browser is answered as a page. */
export interface ShownProblem {
  status: number
  /** Headers of the problem, as when to try again. */
  headers: Record<string, string>
  /** Members of the problem details that a page may show. Source: RFC 9457. */
  body: { detail?: string; requestId?: string }
}

/** The request that failed. */
export interface FailedRequest {
  method: string
  path: string
  /** The query with its question mark, or empty. */
  search: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Who a page is for: everybody, or members. */
export type PageAudience = 'public' | 'member'

/** Renders problems as pages. */
export interface ProblemPages {
  renderProblem: (problem: ShownProblem, request: FailedRequest, audience: PageAudience) => TextAnswer
  /** Renders the page to which the `type` of problems leads. @returns null for an unknown code */
  renderProblemType: (code: string) => TextAnswer | null
}
