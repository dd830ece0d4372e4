import type { GenerateContentResponse } from '@google/genai'

/** The model that is asked: fast, stable, and with structured output. Source: README of @google/genai 3. */
export const geminiModel = 'gemini-3.8-flash'

const defaultUrl = 'https://generativelanguage.googleapis.com'

export interface GeminiAccess {
  key: string
  /** The address of the API; Google's own if undefined. */
  url: string | undefined
  /** Aborts the question at any point. */
  signal: AbortSignal
  /** The time in milliseconds that the server is told it has. */
  timeoutMs: number
}

export interface GeminiQuestion {
  instruction: string
  text: string
  schema: object
}

/**
 * A failure to get a usable answer from the model. Its message is our own: messages of the API may repeat what was
 * sent.
 */
export class GeminiError extends Error {
  override name = 'GeminiError'
}

/**
 * Asks the model once, at temperature 0, for JSON that matches the schema. The package is loaded with the first
 * question. All its options are set here, so that no environment variable changes them.
 * @throws GeminiError
 * Source: Gemini API, models.generateContent
 */
export async function askGemini(access: GeminiAccess, { instruction, text, schema }: GeminiQuestion): Promise<unknown> {
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(new GeminiError('did not answer in time'))
    if (access.signal.aborted) end()
    access.signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([requestAnswer(access, { instruction, text, schema }), ended])
}

async function requestAnswer(
  { key, url, signal, timeoutMs }: GeminiAccess,
  question: GeminiQuestion,
): Promise<unknown> {
  const { GoogleGenAI, ThinkingLevel } = await import('@google/genai')
  const client = new GoogleGenAI({
    apiKey: key,
    enterprise: false,
    apiVersion: 'v1',
    httpOptions: { baseUrl: url ?? defaultUrl, timeout: timeoutMs },
  })
  const answer = await client.models
    .generateContent({
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
    })
    .catch((cause: unknown) => {
      throw new GeminiError(describeFailure(cause))
    })
  return parseAnswer(answer)
}

function describeFailure(cause: unknown): string {
  const status = (cause as { status?: unknown } | null)?.status
  return typeof status === 'number' ? `answered ${status}` : 'cannot be reached'
}

function parseAnswer({ candidates }: GenerateContentResponse): unknown {
  const parts = candidates?.[0]?.content?.parts ?? []
  const text = parts
    .filter(({ thought }) => thought !== true)
    .map((part) => part.text ?? '')
    .join('')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new GeminiError('answered something else than JSON')
  }
}
