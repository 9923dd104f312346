"""What errors say of programs: binaries, dependencies, syntax and arguments. Pure; see ``indications``."""

from harness.systems.diagnosis.reference.error_names import Indication, named, status

_NAME = r"[^\s:'\"`]+"

# fmt: off
COMMAND: tuple[Indication, ...] = (
    "command not found", "is not recognized as an internal or external command",
    "execvp: no such file or directory", "executable file not found in $path",
    "not found, but can be installed with",
    ("is not recognized as", r"\bis not recognized as (?:the|a) name of a cmdlet"),
    ("spawn", r"\bspawn(?:sync)? \S+ enoent\b"),
    ("sh: ", rf"^(?:/\S+/)?\w*sh: (?:line )?(?:\d+: )?{_NAME}: not found\s*$"),
    ("env: ", r"\benv: \W?[^\s/:]+\W?: no such file or directory"),
    ("_execute_child", r"_execute_child\b[^\0]{0,2000}no such file or directory: '[^'/]+'"),
    named("CommandNotFound|GitCommandNotFound|CommandNotFoundException"),
    "executable file not found in %path%", "bad interpreter", "applet not found",
    ("unknown command", r"^fish: unknown command|\bfish: unknown command"),
    ("not found", rf"^(?:\S*sh|[^\s:]+\.(?:ba|z|k)?sh|-\w*sh)(?::? (?:line )?\[?\d+\]?)?: (?:type: |exec: |hash: )?"
                  rf"{_NAME}: (?:not found|inaccessible or not found)\b"),
    ("sh: ", rf"\b\w*sh: (?:line )?(?:\d+: )?{_NAME}: not found\s*$"),
    ("exec: ", rf"^exec: {_NAME}: not found"),
    ("127", r"\berror 127\b|(?<!failed: )\b(?:exit(?:ed)?(?: with)?|return(?:ed)?)(?: a)?(?: non-zero)?"
            r" (?:code|status):? ?127\b|"
            r"\bnon-zero code: 127\b|\berrno 127\b|(?<!exit )\bcode 127\b|\bstatus 127\b"),
    ("make", rf"^g?make(?:\[\d+\])?: {_NAME}: (?:no such file or directory|command not found)"),
    ("syscall spawn", r"\bsyscall:? '?spawn\b[^\0]{0,200}\benoent\b|\benoent\b[^\0]{0,200}\bsyscall:? '?spawn\b"),
    ("cannot run program", r"\bcannot run program\b[^\n]{0,200}\berror=2\b"),
    ("start", r"\btrying to start process\b[^\n]{0,200}\bno such file or directory"),
    ("no such file", r"\b(?:cannot run|failed to run command|can't exec(?:ute)?|cannot exec(?:ute)?|unable to exec"
                     r"(?:ute)?|failed to exec(?:ute)?|failed to spawn|could not exec(?:ute)?|cannot spawn)"
                     r":? ['\"`\u2018]?[^\s'\"`\u2019]+['\"`\u2019]?:[^\n]{0,40} ?\s*(?:caused by: )?no such file"),
    ("no such file", r"^(?:nice|xargs|nohup|env|chroot|setsid|ionice|strace|watch|doas|exec|execvp|execve): "
                     r"['\"`\u2018]?[^\s'\"`\u2019:/]+['\"`\u2019]?: no such file or directory"),
    ("no such file", r"\bcommand '[^'\n]+' failed: no such file or directory"),
    ("failed to spawn", r"\bfailed to spawn\b[^\n]{0,100}\n\s*caused by: no such file"),
    ("errno::enoent", r"\berrno::enoent: no such file or directory - [\w.-]+\s*$"),
    ("spawn", r"\bspawn(?:sync)? [^\n]{1,100} enoent\b"),
    ("no such file", r"\berror running '[^'\n]+': (?:not found|no such file)"),
    ("error running", r"\berror running ['\"]?[^'\"\n]+['\"]?: (?:not found|no such file)"),
    ("on your path", r"\bnot found (?:on|in) (?:your |the )?\$?path\b"),
    ("path", r"\bnot found (?:on|in) (?:your |the |system )?\$?path\b"),
    ("no ", r"^(?:\S*/)?which: no \S+ in \("),
    ("currently not installed", r"\bthe program '[^'\n]+' is currently not installed\b"),
    ("command", r"\bcommand ['\"`]\S+['\"`] not found\b|^command not found: \S"),
    ("executable", r"\bexecutable [`'\"]?[\w./-]+[`'\"]? not found\b(?! in)"),
    ("python was not found", r"\bpython was not found; run without"),
    ("no such file", r"\bfork/exec [^\s:]+: no such file|\b(?:failed|unable|could not|cannot|error) (?:to )?(?:be )?"
                     r"(?:execut|start|launch|run|spawn|invok)\w*\b[^\n]{0,120}\bno such file or directory"),
    ("127", r"\bexit(?:ed|s)? (?:with )?127\b|(?<!failed: )\bexit (?:status|code):? 127\b|\bcode=127\b"),
    ("shell: no such", r"\bfind the shell: no such file"),
    ("enoent", r"\b(?:exec|execvp|execve|spawn\w*|posix_spawn|createprocess)\b[^\n]{0,80}\benoent\b"),
    ("cannot find the file", r"\bcreateprocess\b[^\n]{0,80}\bcannot find the file"),
)

ENVIRONMENT: tuple[Indication, ...] = (
    "no module named", "modulenotfounderror", "cannot find module", "cannot find package", "module not found",
    "error while loading shared libraries", "cannot open shared object file", "unbound variable",
    "parameter not set", "unable to locate package", "was not found in the pkg-config search path",
    "no required module provides package", "distributionnotfound", "no package metadata was found",
    "packagenotfounderror", "can't find crate for", "unresolved import", "missing environment variable",
    "missing required environment variable", "missing dependency", "missing dependencies", "unmet dependency",
    "unmet dependencies", "missing peer dependency", "could not find a package configuration file",
    "noclassdeffounderror", "classnotfoundexception", "cannot load such file",
    "could not find gem", "undeclared crate or module", "is not installed", "are not installed",
    "not installed on", "no such module", "unresolved module or unlinked crate", "is not in std",
    "is not in goroot", "please install", "must be installed", "parameter null or not set",
    "module not installed", "java_home",
    ("no matching distribution", r"\A(?![^\0]*(?:connection broken|newconnectionerror|resolution))[^\0]*\bno "
                                 r"matching distribution found\b"),
    ("@inc", r"\bcan't locate \S+ in @inc\b"),
    ("package", r"\berror: package [\w.]+ does not exist\b|\bthere is no package called\b"),
    ("not found", r"\bversion `?\w+_[\d.]+'? not found\b|\blinker `?[\w.-]+[`']? not found\b|"
                  r"\blib[\w.+-]+\.so[\d.]* (?:=> )?not found\b|\blibrar(?:y|ies)\b[^\n]{0,40}\bnot found\b"),
    ("not find", r"\bcould not (?:find|locate) (?:the )?(?:required )?(?:package|library|module|dependency|"
                 r"driver|compiler)\b"),
    ("by not providing", r"\bby not providing \"?find"),
    ("environment variable", r"\benvironment variables?\b[^\n]{0,80}\b(?:(?:not|n't) (?:set|defined|found)|"
                             r"missing|undefined|unset|required|must be set|needed)\b"),
    ("environment variable", r"\b(?:set|specify|define|export|requires?|undefined|unset)"
                             r"\b[^\n]{0,40}\benvironment variables?\b"),
    ("keyerror", r"\bkeyerror: '(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'"),
    ("environ", r"\benviron\b[^\0]{0,300}\bkeyerror: '"),
    (": no such file", r"\bfatal error: [\w./+-]+\.(?:h|hpp|hh)(?:: no such file or directory|' file not "
                       r"found)"),
    ("cannot find -l", r"\bcannot find -l\w+"),
    ("dependenc", r"\bdependenc(?:y|ies)\b[^\n]{0,60}\b(?:not (?:found|installed|met|satisfied)|missing|"
                  r"absent)\b"),
    ("_", r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*_(?:key|token|secret|url|home|path|id)\b (?:is )?(?:not set|unset|"
          r"undefined|must be set|missing|required)\b"),
    ("api", r"\bapi[ _-]?key\b[^\n]{0,30}\b(?:not (?:set|found|configured|provided)|missing|must be set)\b"),
    named("ModuleNotFound|PackageNotFound|DistributionNotFound|NoClassDefFound|ClassNotFound|NoSuchModule|Gem::Load|"
          "MissingDependency|MissingEnvironmentVariable|UndefinedValue|EnvironmentVariableNotFound|GemNotFound|"
          "MissingSpec|DependencyNotFound|PackageNotInstalled|Env"),
    "library not loaded", "executable not found", "missing optional dependency", "no suitable driver found",
    "native binding",
    "no acceptable c compiler", "package requirements", "peer dep missing", "failed dependencies",
    "could not load file or assembly", "are you missing a using directive", "can't load plugin", "gemnotfound",
    "dependency not found", "no installation candidate", "is not installable", "no package found",
    ("importerror", r"^importerror: (?!cannot import name|attempted relative)[^\n]*\b(?:install|requires?|not found|"
                    r"missing|depend\w+|need)\b"),
    ("install", r"\b(?:pip3?|npm|conda|apt|apt-get|brew|gem|cargo|yarn|dotnet) install `?[\w.@/-]+`? to\b|"
                r"\b(?:you )?(?:must|need to|have to|should) install (?:or update )?\S+|\bplease (?:re)?install\b|"
                r"\brun [`'\"]?(?:pip|npm|gem|bundle|composer|conda) install\b"),
    ("installed", r"\bjust installed or updated\b|\bmake sure (?:that )?\S+ (?:is|are) installed\b"),
    ("not found", r"\b[\w+.-]+\.(?:dll|so|dylib|jar)\b[^\n]{0,40}\bnot found\b|\bldd?: library\b[^\n]{0,60}\bnot "
                  r"found\b|\blibrary '?[\w.-]*'? ?not found\b|\bdependency \"[^\"\n]+\" not found\b|"
                  r"\bmodule '[^'\n]+' not found\b|\bpackages?\b[^\n]{0,40}\bnot found in your environment\b|"
                  r"\bclass [\"'][\w\\]+[\"'] not found\b|\benv(?:ironment)? var(?:iable)?s?\b[^\n]{0,40}\bnot "
                  r"found\b"),
    ("not find", r"\bcould not find (?!or\b)[\w.+-]+, try\b|\bcould not find [\w.-]+ in locally installed\b|"
                 r"\bcould not find (?:chrome|chromium|firefox|a jdk|java|python|openssl|cuda)\b|"
                 r"\bcannot find (?:the )?(?:library|package|dependency|compiler|driver)\b"),
    ("couldn't find", r"\bcouldn't find the (?:plugin|config|module|package|library)\b"),
    ("resolve", r"\b(?:can't|cannot|failed to|could not|unable to) resolve (?:import|module|dependency|package|plugin)?"
                r" ?['\"][@\w./-]+['\"](?: in| from)\b"),
    ("find", r"\bcan't find model\b|\bcould not find or load main class\b"),
    ("executable doesn't exist", r"\bexecutable doesn't exist at\b"),
    ("call to undefined function", r"\bcall to undefined function (?:\w+_\w+)\("),
    ("extension", r"\bextension\b[^\n]{0,40}\b(?:missing|not loaded|not installed)\b"),
    ("is required", r"\bor greater is required\b|\b(?:library|package|compiler|module|dependency) is required\b"),
    ("required", r"\brequired (?:packages?|modules?|librar(?:y|ies)|dependenc\w+|env\w*|programs?|tools?)\b[^\n]{0,60}"
                 r"\b(?:missing|not (?:found|installed|set|available))\b"),
    ("compiler", r"\bno cmake_\w+_compiler\b|\bcmake_\w+_compiler not set\b|\bno \w+ compiler (?:found|available)\b"),
    ("cannot open", r"\bcannot open (?:include|input) file\b|\bcannot open file '[\w.-]+\.lib'|\bcannot open shared"),
    ("file not found", r"\bfatal error: '?[\w./+-]+\.(?:h|hpp|hh)'? file not found"),
    ("no package '", r"\bno package '[^'\n]+' found\b"),
    ("missing:", r"\bmissing: \S+@\S+, required by\b"),
    ("is needed by", r"\bis needed by\b"),
    ("notpresent", r"\berr` value: notpresent\b"),
    ("", r"(?-i:\$?\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\$[A-Z]+)\b['\"`]?(?: environment variable| env var)?:? (?:is |"
         r"was |are "
            r"|must be |has |setting must )?(?:not (?:set|found|defined|be empty|been set|provided|configured)|"
            r"unset|set$|undefined|missing|required|empty|missing value)\b"),
    ("not ", r"(?-i:\b[A-Z]{3,}) (?:environment variable )?(?:is )?not (?:set|defined)\b"),
    ("<frozen os>", r"<frozen os>[^\0]{0,200}\bkeyerror: '"),
    ("must be set", r"^\S+: (?:line )?\d+: \w+: must be set\b"),
    ("required", r"['\"](?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)['\"] is (?:required|missing|not allowed to be empty)\b"),
    ("env", r"\b(?:missing|required|undefined|unset|set the|no) (?:required )?(?:env(?:ironment)?[ "
            r"-]?(?:var(?:iable)?s?"
            r"|vars?)|key (?-i:[A-Z][A-Z0-9_]+))\b"),
    ("env", r"\b(?:env(?:ironment)? ?var(?:iable)?s?)\b[^\n]{0,60}\b(?:not (?:set|found|defined|provided|present)|"
            r"missing|is required|must be set)\b"),
    ("environment variable", r"\b(?:valid|with) [^\n]{0,40}\b(?-i:[A-Z]+_[A-Z_]+) environment variable\b|"
                             r"\binvalid environment variables\b"),
    ("required key", r"\brequired key (?-i:[A-Z][A-Z0-9_]+) missing\b"),
    ("no api key", r"\bno api[ _-]?key (?:provided|found|set|configured)\b"),
    ("_", r"\b(?:set|export|provide|define) (?:the |your )?(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b"),
    "not installed", "dll load failed", "shared library not found", "unable to locate a java",
    "shared object not found",
    ("configured", r"(?-i:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b) (?:is |was )?(?:not|n't) (?:configured|provided|present|"
                   r"available|specified|given|in the environment)\b"),
    ("key not found", r"\bkey not found: \"(?-i:[A-Z][A-Z0-9_]+)\""),
    ("env", r"\b(?:missing|required|undefined|unset|absent) (?:required )?env(?:ironment)?(?: var\w*)?s?\b"),
    ("environment", r"\b(?:missing|not (?:set|found|defined|present)) (?:in|from) (?:the |your )?(?:process )?"
                    r"env(?:ironment)?\b"),
    ("imported crates", r"\bcould not find `\w+` in the list of imported crates"),
    ("", r"\b(?:unable|failed|cannot|could not|can't) (?:to )?(?:locate|load|find|import) (?:the |a |required |native |"
         r"shared )*(?:library|module|package|runtime|dependenc\w+|plugin|driver|dll|extension|crate|gem|compiler|"
         r"sdk|jdk|"
         r"jre)\b"),
)

SYNTAX: tuple[Indication, ...] = (
    "syntaxerror", "parseerror", "indentationerror", "taberror",
    "unexpected token", "unexpected end of input", "unexpected end of file", "unexpected end of json input",
    "unexpected eof", "unexpected identifier", "unexpected indent", "unexpected string", "jsondecodeerror",
    "expecting value", "expecting property name", "expecting ',' delimiter", "mapping values are not allowed",
    "unclosed delimiter", "unterminated string", "missing terminating", "bad substitution", "unknown instruction",
    "non-declaration statement outside function body", "invalid json", "malformed json", "malformed yaml",
    "expected expression", "did not find expected", "unterminated quoted string", "unterminated regexp",
    "jsonparseerror", "parser error", "parsererror", "unexpected newline", "unexpected symbol",
    "unexpected character", "missing semicolon", "illegal start of expression", "invalid or unexpected token",
    "found character that cannot start any token", "looking for beginning of", "unbalanced parenthesis",
    "unterminated subpattern", "unexpected end", "not well-formed", "extra data: line",
    "unexpected non-whitespace character", "unexpected number", "class, interface, enum, or record expected",
    ("expected", r"\berror: '[^'\n]{1,20}' expected\b|\berror: [\w ,'<>-]{1,40} expected\s*$"),
    ("expect", r"\bexpected ['\"`][^\n]{1,20}['\"`](?:,| but| to| at)"),
    ("line", r"\b(?:yaml|toml|xml|json): (?:line|unmarshal|invalid|expected|decode)"),
    ("expected", r"\berror: expected [^\n]{1,80}"),
    ("yaml.", r"\byaml\.(?:scanner|parser)\.\w+error\b"),
    ("ts1", r"\bts1\d{3}:"),
    ("unmatched", r"\bunmatched ['\"`(){}\[\]]"),
    ("parse", r"\b(?:could not|unable to|failed to|cannot) parse\b(?! (?:arguments?|options?|flags?|command|url|"
              r"string as an?))"),
    ("unterminated", r"\bunterminated (?:`?s' command|comment|string|here-document|template)"),
    named("Syntax|Indentation|Tab|(?:JSON|Toml|TOML)Decode|Parse|Parsing|Parser|Scanner|SAXParse|JsonParse|JsonSyntax|"
          "PatternSyntax|TemplateSyntax|CssSyntax|MissingSectionHeader|DuplicateOption|YAML(?:Parse|Semantic|"
          "Syntax)?|YAML|"
          "GraphQLSyntax|SQLSyntax|ProgrammingSyntax|JsonReader|Json|Regexp|ExpatParse|XMLSyntax|BadSqlGrammar|"
          "SqlSyntax|InvalidSyntax|Lexer|Lexical"),
    "parentcontainserrorrecordexception", "missing separator", "in your sql syntax", "not properly ended", "ejsonparse",
    "incorrect syntax near", "non-parseable", "premature end of file", "bad config line", "corrupt patch",
    "unexpected end of string", "quotes are not balanced", "conditional binary operator expected", "string terminator",
    "unclosed group", "unclosed block", "unclosed string", "unclosed quote", "unclosed configuration",
    "not a statement",
    "reached end of file while parsing", "illegal start of", "preprocessing directive", "literal not terminated",
    "unknown start of token", "expected declaration", "argument or block definition required", "unbalanced quotes",
    "missing newline after", "bad indentation", "implicit map keys", "nothing to repeat", "invalid regular expression",
    "unfinished json term", "error in expression", "premature end of", "no section headers", "parsing errors",
    "missing terminator", "unbalanced braces", "multiple repeat", "bad escape", "unmatched parenthesis",
    "invalid start of a value", "must be terminated by", "malformed json", "bad for loop variable",
    "missing closing", "missing opening", "closing tag", "invalid control character", "unexpected eol",
    ("syntax error", r"\bsyntax errors?\b(?! or usage error)(?! \(code)(?!\S*\.py)|\w*syntax error:"),
    ("invalid syntax", r"^(?![^\n]*(?:\bflag\b|\bstrconv\b|\bargument\b|for type))[^\n]*\binvalid syntax\b"),
    ("parse error", r"^(?![^\n]*\bfor flag\b)[^\n]*\bparse error\b(?!: header)"),
    ("expected", r"\b(?:error )?cs1\d{3}: [^\n]{1,60} expected\b|^[^\n]{0,200}: (?:error: )?<?\w+>? expected\s*$"),
    ("expected", r"\bexpected (?:['\"`][^\n]{1,20}['\"`]|a command|a name|<\w+>|token|end of|primary-|expression|"
                 r"comma|identifier|begin_|newline|statement|an operator|key)"),
    ("expected", r"['\"`][^'\"`\n]{1,12}['\"`] expected (?:near|at|before|but)\b"),
    ("unexpected", r"\bunexpected ['\"`][^'\"`\n]{1,12}['\"`](?! (?:was )?(?:provided|argument))(?! found\s*$)"),
    ("unexpected", r"\bunexpected (?:closing|opening|end|eof|token|symbol|indent|identifier|string|number|character|"
                   r"newline|keyword(?! argument)|template|closing delimiter|trailing|end-of-input|input at)\b"),
    ("unexpected", r"['\"][^'\"\n]{1,12}['\"] unexpected\b"),
    ("delimiter", r"\b(?:unclosed|mismatched|unexpected|missing|unbalanced) (?:closing |opening )?delimiter"),
    ("missing", r"\bmissing [`'\"][^`'\"\n]{1,12}['\"`](?=[ .,:]|\s*$)(?! (?:argument|parameter|option|field))"),
    ("was never closed", r"\bwas never closed\b"),
    ("stray", r"\bstray ['\"`\u2018\\#@]"),
    ("unterminated", r"\bunterminated (?!process)"),
    ("unmatched", r"\bunmatched ['\"`(){}\[\]]|\bunmatched \S{1,3}\s*$|\bunmatched (?:right|left|brace|paren|quote)"),
    ("sed:", r"\bsed: -e expression #\d+, char \d+: "),
    ("invalid expression", r"\berror: invalid (?:expression|character|block definition|multi-line string)\b"),
    ("not terminated", r"\b(?:string|comment|rune|literal|quote)s?(?: literal)? (?:is )?not terminated\b"),
    ("parsing", r"\b(?:error|failure|problem|failed) (?:while |in |when )?parsing\b(?! (?:arguments?|options?|flags?|"
                r"command|url))"),
    "expected value", "eof while parsing", "trailing comma", "non-item in item list", "malformed node",
    "extraneous closing",
    "errors in crontab", "invalid block definition", "unexpected top-level", "trailing characters", "stray end tag",
    "did not find expected", "must start and end within", "unexpected indentation", "unbalanced quote",
    ("unclosed", r"\bunclosed \w+"),
    ("missing", r"\bmissing (?:a )?(?:close|closing|open|opening|end|right|left|final|trailing)[ -]?(?:brace|bracket|"
                r"paren\w*|quote|tag|curly|delimiter|semicolon|colon|comma|delim\w*)?\b(?= *['\"`(){}\[\];,.:]|\s|"
                r"$)(?! of)"),
    ("missing", r"\bmissing (?:semicolon|colon|comma|brace|bracket|paren\w*|quote|terminator|`\w+` for)\b"),
    ("invalid character", r"\binvalid character ['\"\u2018(]?\S{1,4}"),
    ("expecting", r"\berror: expecting\b|\bexpecting (?:an? |one of )?(?:element|expression|identifier|member|"
                  r"statement|"
                  r"token|end|eof|declaration|'[^'\n]{1,12}'|\"[^\"\n]{1,12}\")"),
    ("expected", r"['\"`][^'\"`\n]{1,12}['\"`](?:,? or ['\"`][^'\"`\n]{1,12}['\"`])* expected\b"),
    ("column", r"\b(?:expected|unexpected|trailing|parsing|unterminated|invalid (?:token|character|escape|number|"
               r"literal)|missing)\b[^\n]{0,60}\bline:? \d+,? column:? \d+"),
    ("pars", r"\b(?:cannot|could not|failed to|unable to|error) pars(?:e|ing):? \d+:\d+"),
    "runaway string", "arithmetic expression:", "expecting primary", "sql syntax", "near end of file",
    ("missing", r"\bmissing [)}\]'\"`](?= |$)"),
)

ARGUMENTS: tuple[Indication, ...] = (
    "option requires an argument", "the following arguments are required", "invalid choice", "valueerror",
    "unexpected keyword argument", "argument list too long", "too many arguments", "too few arguments",
    "no such option", "unrecognised option", "bad request", "bad option", "bad revision", "invalid params",
    "may not specify more than one", "missing operand", "invalid time interval", "mutually exclusive",
    "invalid argument", "missing file operand", "extra operand", "unknown shorthand flag", "not enough arguments",
    "einval", "invalid_arg", "invalid_arguments", "validation failed", "validation error", "argumenterror",
    "badrequest",
    ("n", r"\b(?:unrecognized|unknown|invalid|illegal|unexpected|ambiguous) (?:command[ -]?line )?(?:option|"
          r"argument|flag|switch|parameter|subcommand|command|input|value|url|revision|number|predicate|date|"
          r"mode|reference|tag|format|primary|type|request|regular expression|literal|refspec|pattern|path|"
          r"file name|field|key|property)s?\b"),
    ("r", r"\b(?:missing|required) (?:required )?(?:argument|parameter|operand|option|positional|property|"
          r"field|input)s?\b"),
    ("", r"\b(?:argument|parameter|option|flag|field|property)s?\b[^\n]{0,60}\b(?:(?:is|are) (?:required|"
         r"missing|invalid|not valid|not allowed|unknown)|must be|requires)\b"),
    ("argument", r"\bexpected (?:at least |at most |exactly )?(?:one|\d+) arguments?\b|\bpositional "
                 r"arguments?\b"),
    ("--help", r"\btry [`'\"]?[\w ./-]+ --help\b|\bsee '[\w ./-]+ --help'"),
    ("-h", r"\btry [`'\"]?[\w ./-]+ -h\b"),
    ("usage:", r"^usage: "),
    ("pathspec", r"\bpathspec\b[^\n]{0,200}\bdid not match\b"),
    ("is not a", r"\bis not an? (?:git|docker|kubectl|npm|valid|recognized|legal|supported)\b"),
    ("must be", r"\bmust be (?:an? |one of|of type)\b"),
    ("malformed", r"\bmalformed (?:url|argument|option|parameter|input|patch|request)\b"),
    ("unsupported", r"\bunsupported (?:option|argument|parameter|value)\b"),
    named("IllegalArgument|InvalidArgument|Argument(?:Null|OutOfRange|Count)?|BadParameter|Usage|BadRequest|Validation|"
          "ParamValidation|InvalidParameter\\w*|NoSuchOption|BadOptionUsage|MissingParameter|InvalidURL|InvalidSchema|"
          "MissingSchema|UnsupportedProtocol|UnprocessableEntity|InvalidInput|InputValidation|ToolInputParsing|Zod|"
          "InvalidToolArguments|InvalidRequest|ParameterBinding\\w*|ValidationException|OptionParser|InvalidOption|"
          "UnrecognizedOption|MissingArgument|Schema|InvalidUsage|InvalidParams"),
    status("400|422"), "invalid_request_error", "err_out_of_range", "eusage", "e2big", "enametoolong",
    "file name too long", "invalid_type", "no input files", "bad usage", "bad port", "syntax or usage error",
    "unprocessable entity", "unprocessable", "wrong number of arguments", "numeric argument required",
    "integer expression expected", "not a valid identifier", "flag needs an argument", "additional properties",
    "no url specified", "conflicting matchers", "paths must precede expression", "cannot be used together",
    "multiple values for argument", "is not understood", "out of range. it must be", "no connection adapters",
    "field required", "extra inputs are not permitted", "input should be", "illegal option", "arguments missing",
    "bad substitution of", "invalid parameter", "invalid parameters", "invalid_parameter", "validation_error",
    ("n", r"\b(?:unrecognized|unrecognised|unknown|invalid|illegal|unexpected|bad|unsupported|ambiguous|extra) "
          r"(?:extra |"
          r"trailing |command[ -]?line |codegen |positional |max )?(?:option|argument|flag|switch|parameter|subcommand|"
          r"command verb|operand|operation|value|values|signal|user|group|count|port|protocol|filesystem type|volume|"
          r"length|context|size|width|character in|int value|choice|selection|combination|mode|uri|numeric|"
          r"config)s?\b"),
    ("no such", r"\bno such (?:command|option|flag|subcommand|argument|operation) ?['\"`:-]?"),
    ("argument", r"\b(?:accepts|requires|expects?|expected|takes|needs)\b[^\n]{0,40}\b\d+ (?:positional "
                 r")?arg(?:ument|\(s\))"
                 r"?s?|\bargument\b[^\n]{0,40}\b(?:cannot be used with|not allowed with|ignored explicit|missing)\b|"
                 r"\bnot enough (?:\S+ )?arguments\b|\bmissing \d+ required\b"),
    ("arg", r"\b(?:accepts|requires) (?:at least |at most |between )?\d+ arg"),
    ("", r"\b(?:option|switch|flag|parameter)\b ?['\"`-][^\n]{0,30} (?:requires|expects|needs)\b"),
    ("required", r"\brequired (?:flag|option|argument|parameter|property|field|value)\(?s?\)?\b|"
                 r"\b(?:a |the )?(?:value|argument|option) is required\b|\bis a required property\b"),
    ("options", r"\boptions? ['\"`-]\S*[^\n]{0,40}\b(?:cannot be|can't be|not (?:both|allowed|understood)|mutually)\b"),
    ("not recognized", r"\b(?:subcommand|option|argument|flag)\b[^\n]{0,30}\b(?:not|n't) (?:recognized|expected|"
                       r"valid)\b"),
    ("n't", r"\b(?:subcommand|option|argument|flag)\b[^\n]{0,30}\b(?:wasn't|isn't) (?:recognized|expected|valid)\b"),
    ("provided but not", r"\bflag provided but not defined\b"),
    ("must", r"\b(?:you )?must (?:specify|provide|supply|not have additional|have required|be (?:an?|one of|of "
             r"type|string|"
             r"number|integer|boolean|array|object|equal|positive|between|greater|less|at least|at most|absolute))\b"),
    ("expected", r"\bexpected (?:string|number|integer|boolean|array|object|int|float|list|dict)\b[^\n]{0,30}\b(?:got|"
                 r"received|but|found)\b"),
    ("type", r"\bis not of type\b|\btype is expected as\b|\bresource type\b|\binvalid type for\b|\bis not a valid \w+"),
    ("is not one of", r"\bis not one of \["),
    ("than the m", r"\bis (?:greater|less) than the (?:maximum|minimum) of\b"),
    ("parameter", r"\bparameter name\b[^\n]{0,30}|\bparameters?\b[^\n]{0,40}\b(?:could not|cannot) be (?:found|used)\b|"
                  r"\bcannot be found that matches parameter\b|\bparameter values (?:was|were) invalid\b"),
    ("refspec", r"\bsrc refspec \S+ does not match\b"),
    ("usage", r"^(?:\S+:? )?(?:(?:error|err!):? )?usage:|\bsee usage\b|\bspecify --help\b|\bfor usage\b"),
    ("url", r"\b(?:failed to|cannot|could not|unable to) parse (?:the )?ur[li]\b|\burl is missing\b|\bno scheme "
            r"supplied\b"),
    ("unable to parse", r"\bunable to parse (?:string|input|value) as\b"),
    ("not supported", r"\b(?:protocol|scheme|option|argument|parameter|flag|value)\b[^\n]{0,30}\bnot supported\b"),
    ("value", r"\bvalue (?:cannot be null|does not fall within|out of range|is invalid|is not valid)\b(?! of stock)"),
    "no such user", "no such group", "is ambiguous", "not a valid object name", "invalid upstream", "too few",
    "usage error", "command line usage", "not a valid option", "wrong number of", "malformed input to a url",
    "multi-character tab",
    ("", r"^(?!json|yaml|toml|xml|tls|x509|error|gzip|gpg|unzip|tar: this)[\w.+/-]{1,60}: (?:invalid|missing|"
         r"unrecognized|unknown|extra|bad|illegal|ambiguous|conflicting|unsupported|too many|too few) (?!signature|"
         r"compressed|checksum|magic|header|data|block|file descriptor|host|error|exception|interpreter|levels|open|"
         r"connections|clients|redirects|links|system call|state|pointer|memory|certificate)[\w -]{2,40}"),
    ("fatal: ", r"^fatal: (?:invalid|not a valid|unknown|unrecognized|bad|ambiguous|malformed|no such (?:option|"
                r"ref|remote))"
                r" (?:--)?(?:option|argument|upstream|object name|reference|revision|value|date|format|path|"
                r"branch|remote|"
                r"ref\b|refspec|config|pretty|color|strategy|mode|timestamp|pathspec|commit|tag|number|gitfile)"),
    (" is required", r"^(?:\w*error: |\w+: )?(?:exactly|at least|at most)? ?(?:one |\d+ )?['\"`]?[\w./-]+['\"`]? is "
                     r"required\b"),
    ("be", r"['\"`][\w.\[\]/-]+['\"`] (?:should|must|has to|needs to|cannot|can not|can't) (?:not )?(?:be\b|"
           r"have\b|match\b|"
           r"contain\b|equal\b)"),
    ("invalid", r"\binvalid (?:tool |function |request |json ?rpc )?(?:input|params?|parameters?|arguments?|"
                r"payload|body)\b"),
    ("not", r"\b(?:arguments?|parameters?|params|input|options?) (?:is|are|was|were) (?:not valid|invalid|malformed|"
            r"incorrect|missing|wrong)\b"),
    ("not provided", r"\b(?:property|parameter|argument|field|option|flag)\b[^\n]{0,40}\bnot (?:provided|"
                     r"specified|given|"
                     r"supplied)\b"),
    ("number", r"\bshould be a number\b|\bnot a (?:valid )?(?:number|integer|boolean|float)\b"),
    ("no command named", r"\bno (?:sub)?command named\b"),
    ("unsupported", r"\bunsupported (?:query|option|flag|argument|value|parameter|operation|command|type)\b"),
    ("curl: (", r"\bcurl: \((?:1|2|3|4)\)"),
    ("invalid choice", r"\binvalid choice\b"),
)
# fmt: on
