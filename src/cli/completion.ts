import type { Command } from 'commander'
import { EXIT, print, say } from './terminal.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function completionCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .argument('<shell>', `one of ${SHELLS.join(', ')}`)
    .action((shell: string) => {
      if (isShell(shell)) return print(SCRIPTS[shell](levelsOf(program)))
      say(`Unknown shell ${shell}. Use one of ${SHELLS.join(', ')}.`)
      setExitCode(EXIT.misused)
    })
}

const isShell = (name: string): name is Shell => SHELLS.includes(name as Shell)

interface Candidate {
  readonly word: string
  readonly description: string
}

/** A command, and the words that can follow. */
interface Level {
  /** Parent commands, then the command. Empty for `twmd` itself. */
  readonly path: readonly string[]
  readonly commands: readonly Candidate[]
  readonly options: readonly Candidate[]
}

function levelsOf(command: Command, path: readonly string[] = []): readonly Level[] {
  const commands = command.commands.map(sub => ({ word: sub.name(), description: sub.description() }))
  const options = command.options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []))
  const level = { path, commands, options: [...options, { word: '--help', description: 'display help for command' }] }
  return [level, ...command.commands.flatMap(sub => levelsOf(sub, [...path, sub.name()]))]
}

const wordsOf = ({ commands, options }: Level): string => [...commands, ...options].map(({ word }) => word).join(' ')
const keyOf = ({ path }: Level): string => path.map(name => `/${name}`).join('')
/** Matches only commands. The script ignores option values. */
const commandPattern = (levels: readonly Level[]): string => levels.slice(1).map(keyOf).join('|')

const bashScript = (levels: readonly Level[]): string => `# source <(twmd completion bash)
_twmd() {
  local level="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$level/$word" in
      ${commandPattern(levels)}) level="$level/$word" ;;
    esac
  done
  case "$level" in
${levels.map(level => `    "${keyOf(level)}") words="${wordsOf(level)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _twmd twmd`

const zshScript = (levels: readonly Level[]): string => `#compdef twmd
# source <(twmd completion zsh)
_twmd() {
  local level="" word
  for word in \${words[2,CURRENT-1]}; do
    case "$level/$word" in
      (${commandPattern(levels)}) level="$level/$word" ;;
    esac
  done
  case "$level" in
${levels.map(level => `    ("${keyOf(level)}") compadd -- ${wordsOf(level)} ;;`).join('\n')}
  esac
  _files
}
compdef _twmd twmd`

/**
 * The words before the cursor identify the command, because subcommand names are unique within a
 * command.
 */
function fishScript(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ path, commands, options }) => {
    const condition = path.length === 0 ? '__fish_use_subcommand' : path.map(name => `__fish_seen_subcommand_from ${name}`).join('; and ')
    return [
      ...commands.map(({ word, description }) => `complete -c twmd -n ${quoted(condition)} -a ${word} -d ${quoted(description)}`),
      ...options.map(({ word, description }) => `complete -c twmd -n ${quoted(condition)} -l ${word.slice(2)} -d ${quoted(description)}`),
    ]
  })
  return ['# twmd completion fish | source', ...lines].join('\n')
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const SCRIPTS: Readonly<Record<Shell, (levels: readonly Level[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}
