"""Names that vulture takes for unused, each with what uses it. Read by vulture only (see [tool.vulture])."""

# ruff: noqa: B018, F821 - a list of names, no code

# tests and benchmarks, which vulture does not read, or a later level that reads stored runs again
EVERY_CASE  # linearizable: for models that know of no cases, as those of its tests
jsonrpc  # the envelope of a line, checked by its type
encode_lines  # histories are stored as JSON lines; PROTOCOL.md
decode_lines
read_events  # the reports of a stored run
Driver  # the interface that JudgingDriver and the tests' machines keep to
Simulated  # the fake side of runtime.Session
DirectSession  # benchmarks: the gate in this process
Meetings  # simulations that are watched, in tests until a campaign does it
unordered
bare_run  # benchmarks: the least a hook's call can cost
is_warm  # sandbox, asserted for every system
kill_everything  # sandbox, for whoever holds one
is_closed
system_out  # junitparser, of a test case
network_isolated  # Containment, told to whoever asks

# called by name, by somebody else's code
windtunnel_certify  # a pytest fixture
pytest_addoption  # pytest, by name
pytest_configure
pytest_collection_modifyitems
runtest
reportinfo
setUpClass  # unittest
tearDownClass
frozen  # a session in this process, for code that reads the clock
state_machine  # Hypothesis users
whitespace_split  # settings of shlex
commenters
list_commands  # click
init
delimiter  # string.Template
get_command  # click
__getattr__  # Python, for rooms that load late
teardown  # Hypothesis, at the end of a case
use_tool  # runtime.Session, for the agent that embeds it
do_beside
request_stop
disabled  # steps of the gate, asked by name in their order
own_prompt

# fields of published formats, and of tables that hold what a document says
attempt  # core.events
record_id
MAY  # a level of the specification
stated_samples  # Reach: what a target's owner supplied
layer  # qualify.json
exec_module  # of a loader: importlib calls it
harness  # initialize
homepage
restart
PROFILES  # the contract's constants, for implementers
GROUPS
CONCLUSIVE
OPEN_QUESTION
signum  # a signal handler's parameter
move  # clocks of tests
model_calls  # observe, of the diagnosis
iterations_to_success  # lines of the memories and of the ContextLog
immediate_cause
why_chain
recovery_attempted
failure_diagnosis
error_encountered
failed_tool
recovery_strategy
alternatives_count
ts
act
result_preview
SEARCH
checkpoint  # errors.json
failed_at_depth
PLAN_INVALID
set_fix_status  # operations are asked by name
original_goal  # signal files
alternatives_considered
location
behavior
frictions
UNSUPPORTED  # a log code for implementers without the group
classify_friction
remove_friction
READ_PENDING  # a step that an implementation may take
maxlevel  # settings of reprlib
maxother
maxstring
duration_seconds  # records of phases
last_updated
subagent_id
subagent_model
subagent_claimed
fresh_verification
verified_at
quality_gates
plan_updates
commit_sha
SAID_FAILURES  # what a sub-agent may say, for tests of the references
test  # Commands, by name of a placeholder
list_hosts  # commands of a group
check_hosts
closes_stdin  # facts of a host, for people
daemon_threads  # settings and methods that http.server calls
request_queue_size
handle_error
client_address
protocol_version
disable_nagle_algorithm
log_message
do_HEAD
do_GET
do_POST
format_commands  # click calls it
STORIES  # every story, for tests of the model and of hosts

# fields of the certificate, which are written and compared by name; of the page, which its template reads
passed_tests
warned_tests
failed_tests
predicateType
is_clock
fault_notes
explored_notes
pictures
