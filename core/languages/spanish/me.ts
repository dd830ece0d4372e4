import type { MeWords } from '../words.types.ts'
import { choose, format } from './numerals.ts'

export const me: MeWords = {
  title: (application) => `Su espacio en ${application}`,
  intro: 'Inicie sesión con un código para ver sus puntos y sus pasaportes.',
  unnamed: {
    head: '¿De qué tienda se trata?',
    text: 'Abra esta página con el enlace de su tienda: indica de cuál se trata.',
  },
  signOut: 'Cerrar sesión',
  points: 'Puntos',
  pointsAfter: (points) => choose(points, { one: 'punto', other: 'puntos' }),
  pending: (points) => `y ${format(points)} que podrá usar más adelante`,
  waiting: (points) => `${format(points)} más a partir del`,
  expiring: (points) => `${format(points)} ${choose(points, { one: 'caduca', other: 'caducan' })} el`,
  below: 'Se retiraron más puntos de los que tenía. Sus próximos puntos compensarán la diferencia.',
  tier: 'Nivel',
  visits: 'Visitas',
  toNextTier: (visits, tier) =>
    `${format(visits)} ${choose(visits, { one: 'visita más', other: 'visitas más' })} para ${tier}`,
  entries: 'Últimos movimientos',
  noEntries: 'Todavía no tiene puntos.',
  kinds: {
    mint: 'Puntos para usted',
    burn: 'Puntos usados',
    order: 'Compra',
    welcome: 'Puntos de bienvenida',
    assignment: 'Puntos anteriores',
    adjust: 'Corrección',
    expire: 'Puntos caducados',
    reverse: 'Reembolso',
    visit: 'Visita',
  },
  what: 'Movimiento',
  balance: 'Saldo',
  passports: 'Sus pasaportes',
  noPassports: 'Todavía no tiene ningún pasaporte. Registre un artículo a su nombre con el enlace que recibió con él.',
  since: (day) => `a su nombre desde el ${day}`,
  archived: 'archivado',
  morePassports: (count) => `Estos son los ${format(count)} más recientes.`,
}
