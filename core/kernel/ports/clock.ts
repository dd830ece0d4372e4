/** The time of day as every process sees it. */
export interface Clock {
  now(): Date
}
