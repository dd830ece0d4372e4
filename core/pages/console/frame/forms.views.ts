import { ProblemError, type Issue } from '../../../kernel/problem.ts'
import { isName, nameIssueMessage } from '../../../kernel/text/characters.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsoleWords } from '../words/words.ts'

/** A form that was refused: what was written, and why. */
export interface RefusedForm<F> {
  form: F
  problem: ProblemError
}

/** Returns the problem that a form shows. @throws the cause itself if it is none, or says that what the form is about is not there */
export function getRefusal(cause: unknown): ProblemError {
  if (!(cause instanceof ProblemError) || cause.status === 404) throw cause
  return cause
}

/** Lists the first issue of each path: a form says of a field one thing at a time. */
export const listFirstIssues = (issues: readonly Issue[]): Issue[] =>
  issues.filter(({ path }, at) => issues.findIndex((other) => other.path === path) === at)

/**
 * Returns the words of the console, with those for what some pages refuse.
 * @param codes by the code of a problem
 * @param issues by the code of what is wrong with a field
 */
export const addRefusals = (
  words: ConsoleWords,
  codes: Readonly<Record<string, string>>,
  issues: Readonly<Record<string, string>> = {},
): ConsoleWords => ({
  ...words,
  refusals: { ...words.refusals, ...codes },
  issues: { ...words.issues, ...issues },
})

/** Renders why a form was refused, in the words of the reader. @param labels what a path of the body is called */
export function renderRefusal(
  problem: ProblemError | undefined,
  words: ConsoleWords,
  labels: Readonly<Record<string, string>> = {},
): Markup | false {
  if (!problem) return false
  const issues = problem.errors ?? []
  const own = words.refusals[problem.code]
  const explanation =
    issues.length > 0
      ? issues.map(({ path, code, message }) => {
          const label = labels[path] ?? path
          return html`${words.check} ${label} ${words.issues[code] ?? html`<span lang="en">${message}</span>`}. `
        })
      : html`<span lang="en">${problem.detail}</span>`
  return html`<p class="bad" role="alert">${own ?? explanation}</p>`
}

/** Lists what is wrong with a name that a form says, without the spaces around it. */
export function listNameIssues(name: string): Issue[] {
  const issues: Issue[] = []
  if (!isName(name)) issues.push({ path: 'name', code: name === '' ? 'required' : 'format', message: nameIssueMessage })
  if (name.length > 200) issues.push({ path: 'name', code: 'max_length', message: 'has more than 200 characters' })
  return issues
}

/** A field of a form. */
export interface FormField {
  name: string
  label: string
  value: string
  hint?: string
  type?: 'text' | 'email' | 'tel' | 'number' | 'url' | 'password'
  isRequired?: boolean
  maxLength?: number
  /** Of a number. */
  min?: string
  step?: string
}

/** Renders a field with its label, and what it is for beneath it. */
export function renderField(field: FormField): Markup {
  const { name, label, value, hint, type = 'text', isRequired, maxLength = 200, min, step } = field
  const limits =
    type === 'number'
      ? html` min="${min ?? '0'}"${step !== undefined && html` step="${step}"`} inputmode="decimal"`
      : html` maxlength="${maxLength}"`
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}"${limits}${isRequired && html` required`}${hint !== undefined && html` aria-describedby="${name}-use"`} value="${value}">
${hint !== undefined && html`<p class="quiet" id="${name}-use">${hint}</p>`}</div>`
}

/** Renders a field of choice with its label. */
export const renderSelect = (
  { name, label, hint }: Pick<FormField, 'name' | 'label' | 'hint'>,
  options: Markup,
): Markup => html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${hint !== undefined && html` aria-describedby="${name}-use"`}>${options}</select>
${hint !== undefined && html`<p class="quiet" id="${name}-use">${hint}</p>`}</div>`

/** Renders fields that nobody sees, as they were entered before. */
export const renderHiddenFields = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

/** What is asked before something is done that cannot be taken back, or that others notice. */
export interface Question {
  title: string
  /** What will happen, sentence by sentence. */
  consequences: readonly (string | false)[]
  button: string
  /** Where the answer goes, and the way back. */
  action: string
  back: string
  /** What was entered before and is sent with the answer. */
  fields?: Readonly<Record<string, string>>
  /** Whether nothing gets lost, so that the button does not warn. */
  isHarmless?: boolean
  problem: ProblemError | undefined
}

/** Renders the page that says what will happen before anything does. */
export const renderQuestion = (
  { title, consequences, button, action, back, fields = {}, isHarmless = false, problem }: Question,
  words: ConsoleWords,
): Markup => html`<h1>${title}</h1>
${renderRefusal(problem, words)}
<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<ul>${consequences.map((sentence) => sentence !== false && html`<li>${sentence}</li>`)}</ul>
<form class="row" method="post" action="${action}">${renderHiddenFields(fields)}<a href="${back}">${words.list.cancel}</a><button class="small${!isHarmless && ' danger'}">${button}</button></form></section>`
