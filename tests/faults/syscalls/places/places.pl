# Writes two files. Usage: places.pl self|child|grandchild DIR
use strict;
use warnings;
use POSIX ();

my ($where, $directory) = @ARGV;

sub work {
    for my $name (qw(first second)) {
        open(my $file, '>', "$directory/$name") or POSIX::_exit(3);
        defined(syswrite($file, 'hello world')) or POSIX::_exit(3);
        close($file) or POSIX::_exit(3);
    }
}

sub in_child {
    my ($job) = @_;
    my $pid = fork();
    if ($pid == 0) { $job->(); POSIX::_exit(0) }
    waitpid($pid, 0);
    POSIX::_exit(3) if $?;
}

if ($where eq 'self') { work() }
elsif ($where eq 'child') { in_child(\&work) }
else { in_child(sub { in_child(\&work) }) }
