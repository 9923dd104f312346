#!/usr/bin/env perl
# Lets one worker, and no other, run a task. Usage: program.pl op|recover|check DIR [WORKER]
use strict;
use warnings;
use Errno 'EEXIST';
use Fcntl;

my ($verb, $dir, $worker) = @ARGV;
$worker //= 'a';

my %verbs = (
    op => sub {
        if (!sysopen my $claim, "$dir/claim", O_WRONLY | O_CREAT | O_EXCL) {
            return if $! == EEXIST;
            die "cannot claim: $!\n";
        }
        open my $ran, '>', "$dir/ran.$worker" or die "cannot run: $!\n";
    },
    recover => sub { unlink "$dir/claim" if !-e "$dir/ran.a" && !-e "$dir/ran.b" },
    check => sub {
        return if !-e "$dir/ran.a" || !-e "$dir/ran.b";
        print "Both workers ran the task.\n";
        exit 1;
    },
);
$verbs{$verb}->();
