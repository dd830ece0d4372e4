import type { GenerateContentResponse } from '@google/genai'

/**
 * The one that is asked: fast, stable, and with structured output, as the README of @google/genai 3 names it.
 */
export const geminiModel = 'gemini-3.8-flash'

const official = 'https://generativelanguage.googleapis.com'

export interface GeminiAccess {
  key: string
  /** Address of the API; Google's own unless stated. */
  url: string | undefined
  /** Ends the question, wherever it is. */
  signal: AbortSignal
  /** Milliseconds that the server is told it has. */
  patience: number
}

export interface GeminiQuestion { instruction: string; text: string; schema: object }

/** The model gave nothing to work with. The message is ours: those of the API may repeat what was sent. */
export class GeminiFault extends Error {
  override name = 'GeminiFault'
}

/**
 * Asks the model once, at temperature 0, for JSON of the schema. The package is loaded with the first question; it is
 * told everything, so that no variable of the environment speaks to it. @throws GeminiFault
 * Source: Gemini API, models.generateContent
 */
export async function askGemini(access: GeminiAccess, { instruction, text, schema }: GeminiQuestion): Promise<unknown> {
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(new GeminiFault('did not answer in time'))
    if (access.signal.aborted) end()
    access.signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([asked(access, { instruction, text, schema }), ended])
}

async function asked({ key, url, signal, patience }: GeminiAccess, question: GeminiQuestion): Promise<unknown> {
  const { GoogleGenAI, ThinkingLevel } = await import('@google/genai')
  const client = new GoogleGenAI({
    apiKey: key, enterprise: false, apiVersion: 'v1', httpOptions: { baseUrl: url ?? official, timeout: patience },
  })
  const answer = await client.models.generateContent({
    model: geminiModel,
    contents: [{ role: 'user', parts: [{ text: question.text }] }],
    config: {
      systemInstruction: question.instruction,
      temperature: 0,
      candidateCount: 1,
      responseMimeType: 'application/json',
      responseJsonSchema: question.schema,
      thinkingConfig: { thinkingLevel: ThinkingLevel.MINIMAL },
      abortSignal: signal,
    },
  }).catch((cause: unknown) => { throw new GeminiFault(refusal(cause)) })
  return read(answer)
}

function refusal(cause: unknown): string {
  const status = (cause as { status?: unknown } | null)?.status
  return typeof status === 'number' ? `answered ${status}` : 'cannot be reached'
}

function read({ candidates }: GenerateContentResponse): unknown {
  const parts = candidates?.[0]?.content?.parts ?? []
  const text = parts.filter(({ thought }) => thought !== true).map((part) => part.text ?? '').join('')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new GeminiFault('answered something else than JSON')
  }
}
