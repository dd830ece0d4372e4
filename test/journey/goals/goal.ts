import type { Shop } from '../../support/world.ts'
import type { CarefulAssistant, AssistantOptions, Tally, ViewName } from './careful-assistant.ts'

/** The conversation of one goal: an organization of its own, and assistants for it. */
export interface Scene {
  readonly shop: Shop
  readonly view: ViewName
  /** The assistants read the guide first. */
  readonly readsGuide?: true
  /** Connects an assistant whose calls count for the goal. */
  connect(options?: Partial<AssistantOptions>): Promise<CarefulAssistant>
}

/** What somebody wants of an assistant. */
export interface Goal {
  readonly letter: string
  readonly title: string
  /** The highest numbers that are allowed in the default view. */
  readonly limits?: { readonly calls: number; readonly tokens?: number }
  /** Reaches the goal by the bridge alone, and checks the outcome by the API. */
  reach(scene: Scene): Promise<void>
}

export type GoalFigures = Tally & { readonly goal: Goal; readonly view: ViewName }
