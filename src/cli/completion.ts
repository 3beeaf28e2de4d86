import { Argument, type Command } from 'commander';
import { EXIT, verb } from './verb.ts';

/** Scripts that call `satchel complete`, so that they are never older than the commands. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_satchel() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _satchel satchel`,
  zsh: `#compdef satchel
_satchel() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  _describe satchel found
}
compdef _satchel satchel`,
  fish: `complete -c satchel -f -a '(satchel complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

/** `satchel completion` prints the script of a shell; the hidden `satchel complete` prints the candidates for the last word. */
export function addCompletion(program: Command): void {
  verb(program, {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    details: 'Put the line of the example into ~/.bashrc or ~/.zshrc. For fish: satchel completion fish | source',
    example: 'completion bash   # in ~/.bashrc: source <(satchel completion bash)',
    hasJson: false,
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action((shell: string) => {
      process.stdout.write(`${SCRIPTS[shell]}\n`);
      process.exitCode = EXIT.done;
    });

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      process.stdout.write(
        candidates(program, words)
          .map((one) => `${one}\n`)
          .join(''),
      );
    });
}

/** Returns the completions of the last word, each with its description after a tab. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  let command = program;
  for (const word of before) command = command.commands.find((one) => one.name() === word) ?? command;
  const helper = command.createHelp();
  const commands = helper.visibleCommands(command).map((one) => [one.name(), one.summary()]);
  const options = helper.visibleOptions(command).map((one) => [one.long ?? one.short ?? '', one.description]);
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((choice) => [choice, '']));
  const found = last.startsWith('-') ? options : [...commands, ...values];
  return found
    .filter(([text = '']) => text.startsWith(last))
    .map(([text, description]) => (description ? `${text}\t${description}` : `${text}`));
}
